from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghap.vocabulary import FUNCTION_WORDS, stem, stems, without, words


def test_contraction_of_not_gives_both_words() -> None:
    assert words("It isn't, won't and can’t; the user's") == [
        "it", "is", "not", "will", "not", "and", "can", "not", "the", "user",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "family",
    [
        ("pass", "passes", "passed", "passing"),
        ("crash", "crashes", "crashed"),
        ("stop", "stops", "stopped", "stopping"),
        ("cache", "caches", "cached", "caching"),
        ("retry", "retries", "retried"),
        ("fix", "fixes", "fixed"),
    ],
)
def test_forms_of_one_word_have_one_stem(family: tuple[str, ...]) -> None:
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize("word", ["dns", "tls", "status", "analysis", "class", "is", "us", "ids"])
def test_short_words_and_those_that_only_look_inflected_stay(word: str) -> None:
    assert stem(word) in {word, word.removesuffix("s") if word == "ids" else word}


def test_stems_leave_out_what_carries_no_meaning() -> None:
    assert stems("The lock is held by the first of the two workers") == ["lock", "held", "first", "two", "worker"]


def test_related_words_are_taken_out_and_others_stay() -> None:
    assert without(stems("connections slowness retry port"), stems("connect slow retries portal")) == []
    assert without(stems("cache key"), stems("catch keyboard")) == ["cach", "key"]


@given(st.text(max_size=300))
def test_any_text_has_stems_that_are_no_function_words(text: str) -> None:
    assert set(words(text)) - FUNCTION_WORDS == {word for word in words(text) if stems(word) or word == ""}
