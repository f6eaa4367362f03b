from __future__ import annotations

import unicodedata

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.vectors.terms import terms

WORDS = st.text("abcdefgXYZ0123456789äß", min_size=1, max_size=8)
COMPOUNDS = st.lists(WORDS, min_size=2, max_size=5).flatmap(
    lambda parts: st.sampled_from([".", "_", "/", "-", "::", "\\"]).map(lambda joint: joint.join(parts))
)


def lexemes(text: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT lexeme FROM unnest(to_tsvector('english', %s))", [terms(text)])
        return {lexeme for (lexeme,) in cursor.fetchall()}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("the fix is in src/app/models.py, line 3", "models.py"),
        ("the fix is in src/app/models.py, line 3", "src/app/models.py"),
        (r"C:\Users\me\notes.txt", "notes.txt"),
        ("java.lang.NullPointerException at Foo.bar", "NullPointerException"),
        ("std::vector::push_back reallocates", "push_back"),
        ("ERR_SSL_PROTOCOL_ERROR came", "ERR_SSL_PROTOCOL_ERROR"),
        ("exit with E11000 duplicate key", "E11000"),
        ("call getUserById first", "getUserById"),
        ("call getUserById first", "user"),
        ("parseHTTPResponse fails", "http"),
        ("use --no-verify here", "no-verify"),
        ("psycopg.errors.DeadlockDetected", "deadlock detected"),
        ("upgrade to v1.24.3", "1.24.3"),
    ],
)
def test_code_is_found_as_written_and_by_its_parts(db: None, text: str, asked: str) -> None:
    assert lexemes(asked)
    assert lexemes(asked) & lexemes(text)


def test_whole_identifier_is_a_word_of_its_own(db: None) -> None:
    assert "errsslprotocolerror" in lexemes("ERR_SSL_PROTOCOL_ERROR came from the proxy")
    assert "errsslprotocolerror" not in lexemes("an SSL protocol error")


def test_plain_words_are_stemmed(db: None) -> None:
    assert lexemes("migrations were failing") == lexemes("a migration fails")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("We went to the lake", "Where did they go?"),
        ("the worker hung", "why does the worker hang"),
        ("a broken build", "what breaks when building"),
        ("CHILDREN", "child"),
        ("both indices", "an index"),
    ],
)
def test_form_that_no_stemmer_leads_back_is_found_by_its_base(db: None, text: str, asked: str) -> None:
    assert lexemes(text) & lexemes(asked)


@given(st.lists(st.one_of(WORDS, COMPOUNDS), max_size=8))
def test_each_part_and_each_whole_of_a_text_is_among_its_terms(words: list[str]) -> None:
    found = set(terms(" ".join(words)).split())

    for word in words:
        assert set(terms(word).split()) <= found


@given(st.text(max_size=200))
def test_whatever_is_given_terms_are_words_and_spaces(text: str) -> None:
    found = terms(text)

    letters = "".join(char for char in found if not unicodedata.category(char).startswith("M"))
    assert all(word.isalnum() for word in letters.split())
    assert found == " ".join(found.split())


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        pytest.param("数据库连接池在服务器重启之后会返回失效的连接。", "连接池", id="Chinese"),
        pytest.param("夜间导出任务因为等待备份持有的锁而超时。", "锁", id="Chinese, one character"),
        pytest.param("データベースの接続が切れる", "データベース", id="Japanese"),
        pytest.param("ﾃﾞｰﾀﾍﾞｰｽの接続", "データベース", id="Japanese, half width"),
        pytest.param("데이터베이스가 연결되지 않습니다", "데이터베이스", id="Korean"),
        pytest.param("ฐานข้อมูลไม่ตอบสนองหลังจากรีสตาร์ท", "ข้อมูล", id="Thai"),
        pytest.param("ຖານຂໍ້ມູນບໍ່ຕອບ", "ຂໍ້ມູນ", id="Lao"),
        pytest.param("មូលដ្ឋានទិន្នន័យមិនឆ្លើយ", "ទិន្នន័យ", id="Khmer"),
        pytest.param("ဒေတာဘေ့စ်မတုံ့ပြန်ပါ", "ဒေတာ", id="Burmese"),
        pytest.param("डेटाबेस कनेक्शन टूट गया", "कनेक्शन", id="Hindi"),
        pytest.param("用Django写的服务", "django", id="Latin in Chinese"),
        pytest.param("Ｄｊａｎｇｏ１２", "django12", id="full width"),
        pytest.param(unicodedata.normalize("NFD", "der Zähler läuft über"), "zähler", id="decomposed text"),
        pytest.param("der zähler_stand", unicodedata.normalize("NFD", "Zähler_Stand"), id="decomposed query"),
    ],
)
def test_text_of_any_script_is_found_by_its_words(db: None, text: str, asked: str) -> None:
    assert lexemes(asked)
    assert lexemes(asked) - lexemes(text) == set()


def test_pairs_of_characters_and_han_characters_are_the_terms_of_unspaced_text() -> None:
    assert terms("新しい锁。") == "新 新し しい い锁 锁"
    assert terms("데이터") == "데이 이터"
    assert terms("の") == "の"
    assert terms("ข้อมูล") == "ข้อ อมู มูล"


@pytest.mark.parametrize(
    ("text", "without_accents"),
    [
        ("Café naïve", "cafe naive"),
        (unicodedata.normalize("NFD", "Ångström"), "angstrom"),
        ("Straße, Øresund, Łódź, Æther, ÆTHER", "strasse oresund lodz aether aether"),
        ("Ελλάδα", "ελλαδα"),
        ("ёлка", "елка"),
        ("Việt Nam", "viet nam"),
    ],
)
def test_accents_are_folded(text: str, without_accents: str) -> None:
    assert terms(text) == terms(without_accents) == without_accents


@pytest.mark.parametrize("text", ["мой", "ガ", "हिन्दी", "สวัสดี"], ids=["й", "voiced kana", "vowel signs", "tone marks"])
def test_marks_that_make_another_letter_are_kept(text: str) -> None:
    assert terms(text) != terms("".join(char for char in unicodedata.normalize("NFD", text) if char.isalpha()))


@pytest.mark.parametrize(
    "text",
    [
        "Die Datenbankverbindungen brechen nach dem Zertifikatswechsel ab",
        "Die Häuser kosten mehr als das Haus gekostet hat",
        "Соединения с базами данных обрываются после перезапуска сервера",
    ],
    ids=["German compounds", "German inflections", "Russian endings"],
)
def test_words_of_another_language_are_found_and_kept_apart_as_without_stemming(db: None, text: str) -> None:
    words = terms(text).split()
    lexemes_of = {word: frozenset(lexemes(word)) for word in words if lexemes(word)}  # stop words have none

    assert all(found <= lexemes(text) for found in lexemes_of.values())
    assert len(set(lexemes_of.values())) == len(lexemes_of)


def test_combining_mark_does_not_separate_words() -> None:
    assert terms("q\u0303x कनेक्शन") == "qx कनेक्शन"
    assert terms("ok\ufe0f 👍\ufe0f") == "ok"


def test_long_text_without_spaces_fits_into_a_tsvector(db: None) -> None:
    text = "".join(chr(0x4E00 + (number * 7919) % 20_000) for number in range(20_000))

    assert len(lexemes(text)) > 20_000


@pytest.mark.parametrize(
    "text",
    ["a" * 200_000, "数" * 100_000, "a-" * 50_000, "a" + "-" * 100_000, "a\u0303" * 50_000],
    ids=["letters", "Han", "compound", "dashes", "marks"],
)
def test_terms_of_a_very_long_word_take_linear_time(text: str) -> None:
    assert terms(text) != ""


@given(COMPOUNDS)
def test_compound_has_the_same_whole_however_it_is_cased(compound: str) -> None:
    lower = "".join(part for part in compound if part.isalnum()).lower()

    assert lower.replace("ä", "a").replace("ß", "ss") in terms(compound).split()
