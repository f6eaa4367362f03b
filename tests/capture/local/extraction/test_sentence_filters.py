"""Filters of sentences: statements, informative ones, and those that can be understood alone."""

from __future__ import annotations

import pytest

from capture.local.extraction import sentence_filters as filters
from capture.local.extraction.sentences import Sentence


@pytest.mark.parametrize(
    ("judge", "holds", "fails"),
    [
        ("is_specific", "Look at `parse`.", "look at that."),
        ("names_code", "See src/a.py for it", "See the docs for it"),
        ("is_plan", "Let me fix the parser", "The parser drops the zone"),
        ("is_hedged", "It might be the cache", "It is the cache"),
        ("is_question", "Does the cache help?", "The cache helps?"),
        ("is_own_mistake", "I forgot the import", "The module lacks the import"),
    ],
)
def test_sentence_is_judged_by_its_wording(judge: str, holds: str, fails: str) -> None:
    assert [getattr(filters, judge)(text) for text in (holds, fails)] == [True, False]


def test_words_and_uncommon_words_are_counted() -> None:
    assert filters.count_words("The parser drops 3 rows.") == 4
    assert filters.count_uncommon_words("the parser and the parser need a fix") == 1


def test_long_quotation_is_removed_and_a_short_one_is_not() -> None:
    assert filters.without_quotations('He said "do not use it" of "tabs"') == 'He said "" of "tabs"'


def test_sentence_that_names_something_is_self_contained_and_tidied() -> None:
    assert filters.self_contained([Sentence("Also, `parse()` drops the zone")]) == "`parse()` drops the zone."


def test_sentence_that_refers_back_is_joined_to_the_one_before() -> None:
    before = "`parse()` drops the zone."
    assert (
        filters.self_contained([Sentence("It fails at midnight then.", before)])
        == f"{before} It fails at midnight then."
    )
    assert filters.self_contained([Sentence("It fails at midnight then.")]) == ""


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("No, `make` runs in CI", "`make` runs in CI."),
        ("No tests of `parse()` run in CI", "No tests of `parse()` run in CI."),
        ("No usamos `float` para dinero", "No usamos `float` para dinero."),
    ],
)
def test_denial_of_what_was_said_before_goes_and_one_that_is_meant_stays(text: str, tidied: str) -> None:
    assert filters.self_contained([Sentence(text)], by_person=True) == tidied


def test_sentence_that_names_nothing_is_self_contained_only_for_a_person() -> None:
    sentence = Sentence("Always make it work first.")
    assert filters.self_contained([sentence], by_person=True) == "Always make it work first."
    assert filters.self_contained([sentence]) == ""


def test_later_sentence_of_a_passage_may_refer_to_the_first() -> None:
    passage = [Sentence("`parse()` drops the zone."), Sentence("This is why `load()` fails at midnight.")]
    assert filters.self_contained(passage) == "`parse()` drops the zone. This is why `load()` fails at midnight."
    assert filters.self_contained(passage[1:]) == ""
