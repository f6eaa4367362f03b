from __future__ import annotations

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

    assert all(word.isalnum() for word in found.split())
    assert found == " ".join(found.split())


@given(COMPOUNDS)
def test_compound_has_the_same_whole_however_it_is_cased(compound: str) -> None:
    lower = "".join(part for part in compound if part.isalnum()).lower()

    assert lower[:100] in terms(compound).split()
