"""Whether a sentence can stand alone and states something."""

from __future__ import annotations

import pytest

from capture.local.extraction import sentence_filters as filters
from capture.local.extraction.sentences import Sentence


@pytest.mark.parametrize(
    ("judge", "holds", "fails"),
    [
        ("is_specific", "Look at `parse`.", "look at that."),
        ("names_code", "See src/a.py for it", "See the docs for it"),
        ("gives_reason", "It fails because the file is gone", "It fails when the file is gone"),
        ("is_plan", "Let me fix the parser", "The parser drops the zone"),
        ("is_hedged", "It might be the cache", "It is the cache"),
        ("is_question", "Does the cache help?", "The cache helps?"),
        ("is_labelled", "Key takeaway: never cache it", "The cache: never use it"),
        ("is_own_slip", "I forgot the import", "The module lacks the import"),
    ],
)
def test_sentence_is_judged_by_its_wording(judge: str, holds: str, fails: str) -> None:
    assert [getattr(filters, judge)(text) for text in (holds, fails)] == [True, False]


def test_words_and_telling_words_are_counted() -> None:
    assert filters.words_in("The parser drops 3 rows.") == 4
    assert filters.telling_words("the parser and the parser need a fix") == 1


def test_long_quotation_is_left_out_and_a_short_one_stays() -> None:
    assert filters.unquoted('He said "do not use it" of "tabs"') == 'He said "" of "tabs"'


def test_sentence_that_names_something_stands_alone_and_is_tidied() -> None:
    assert filters.standing_alone(Sentence("Also, `parse()` drops the zone")) == "`parse()` drops the zone."


def test_sentence_that_points_back_takes_the_one_before_along() -> None:
    before = "`parse()` drops the zone."
    assert (
        filters.standing_alone(Sentence("It fails at midnight then.", before)) == f"{before} It fails at midnight then."
    )
    assert filters.standing_alone(Sentence("It fails at midnight then.")) == ""


def test_sentence_that_names_nothing_stands_alone_only_for_a_person() -> None:
    sentence = Sentence("Always make it work first.")
    assert filters.standing_alone(sentence, by_person=True) == "Always make it work first."
    assert filters.standing_alone(sentence) == ""
