"""Text from outside: made safe to keep, fit to be shown, on one line, of bounded length."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.common.text import (
    clean,
    clean_json,
    composed,
    decode,
    one_line,
    parse_number,
    printable,
    readable,
    shorten,
    wording,
)

ANY_TEXT = st.text(st.characters(exclude_categories=[]))  # lone surrogates too


def test_nul_and_lone_surrogates_become_replacement_characters() -> None:
    assert clean("a\x00b\ud83dc") == "a\ufffdb\ufffdc"


@given(ANY_TEXT)
def test_cleaned_text_is_valid_utf_8_without_nul_and_as_long_as_before(text: str) -> None:
    cleaned = clean(text)

    assert b"\x00" not in cleaned.encode("utf-8")
    assert len(cleaned) == len(text)


@given(ANY_TEXT)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_text_that_is_clean_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


@given(st.binary())
def test_any_bytes_decode(data: bytes) -> None:
    assert clean(decode(data)) == decode(data)


def test_byte_order_mark_is_dropped() -> None:
    assert decode(b"\xef\xbb\xbfhello \xff") == "hello \ufffd"


def test_every_string_of_a_json_value_is_cleaned_keys_too() -> None:
    assert clean_json({"a\x00": ["b\ud800", 1, None, {"c": "d\x00"}]}) == {
        "a\ufffd": ["b\ufffd", 1, None, {"c": "d\ufffd"}]
    }


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | ANY_TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
        max_leaves=10,
    )
)
def test_cleaned_json_can_be_written_as_utf_8(value: object) -> None:
    json.dumps(clean_json(value), ensure_ascii=False).encode("utf-8")


@given(ANY_TEXT)
def test_one_line_has_no_break_of_any_kind(text: str) -> None:
    assert one_line(text).splitlines() in ([], [one_line(text)])


def test_one_line_folds_every_run_of_white_space() -> None:
    assert one_line(" a\r\n\tb\u2028c\x85 d ") == "a b c d"


@given(ANY_TEXT, st.integers(0, 20))
def test_shortened_text_keeps_the_limit(text: str, limit: int) -> None:
    assert len(shorten(text, limit)) <= max(limit, 1)


def test_shortened_text_shows_that_it_was_cut() -> None:
    assert (shorten("abcdef", 4), shorten("abcd", 4)) == ("abc…", "abcd")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("a\r\nb\rc\u2028d\x85e\x0bf", "a\nb\nc\nd\ne\nf"),
        ("\x07bell\x7f\x9b2Jclear", "bellclear"),
        ("exe\u202etxt.\u2066x", "exetxt.x"),
        ("nul\x00 half \ud83d", "nul\ufffd half \ufffd"),
    ],
)
def test_sequences_controls_and_directions_are_taken_out(text: str, seen: str) -> None:
    assert printable(text) == seen


@given(st.text())
def test_any_text_has_no_control_but_tab_and_line_feed(text: str) -> None:
    assert [c for c in printable(text) if unicodedata.category(c) == "Cc" and c not in "\t\n"] == []


def test_composed_and_decomposed_letters_are_one_text() -> None:
    decomposed = unicodedata.normalize("NFD", "Zähler Ñandú が 각")

    assert composed(decomposed) == "Zähler Ñandú が 각"
    assert composed("plain\n") == "plain\n"
    assert wording(f"  {decomposed}\n x") == "zähler ñandú が 각 x"


@given(st.text())
def test_wording_ignores_composition(text: str) -> None:
    assert wording(unicodedata.normalize("NFD", text)) == wording(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("caf\udce9", "caf\ufffd"),
        (repr("caf\udce9"), "'caf\ufffd'"),
        (repr("\\udce9"), r"'\\udce9'"),
        (repr("\\\udce9"), "'\\\\\ufffd'"),
        ("\\udef and \\u00e9", "\\udef and \\u00e9"),
        ("Za\u0308hler", "Zähler"),
    ],
)
def test_readable_text_is_composed_and_has_no_escapes_of_bytes(text: str, expected: str) -> None:
    assert readable(text) == expected


@pytest.mark.parametrize(
    ("text", "digits", "expected"),
    [
        ("0", 18, 0),
        ("007", 18, 7),
        ("9" * 18, 18, 10**18 - 1),
        ("9" * 19, 18, None),
        ("1000", 3, None),
        ("", 18, None),
        ("-1", 18, None),
        (" 1", 18, None),
        ("1_0", 18, None),
        ("٣", 18, None),
        ("²", 18, None),
    ],
)
def test_only_a_text_of_few_ascii_digits_is_a_number(text: str, digits: int, expected: int | None) -> None:
    assert parse_number(text, digits=digits) == expected
