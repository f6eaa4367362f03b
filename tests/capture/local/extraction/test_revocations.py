"""Statements that the agent takes back itself yield no learning."""

from __future__ import annotations

import json

import pytest

from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.extraction.revocations import WITHIN, Statement, taken_back, turned_down
from capture.local.transcripts.messages import Kind, Message, Role

CAUSE = "The root cause was that `parse()` drops the zone, so dates in `store.py` were one day off."


TAKEN_BACK = "Actually, `parse()` is right; the clock is wrong."


def statement(index: int = 1) -> Statement:
    return Statement("solution", CAUSE, index)


def said(index: int, text: str, role: Role = Role.AGENT) -> Message:
    return Message(index, role, Kind.WORDS, text=text)


@pytest.mark.parametrize(
    ("text", "is_taken_back"),
    [
        ("Actually, `parse()` never sees the zone.", True),
        ("Let me look.\n\nActually `store.py` is fine.", True),
        ("Aha! That's the issue. `parse()` is not called at all.", True),
        ("Wait, that is wrong: `parse()` keeps the zone.", True),
        ("I was wrong about `parse()`.", True),
        ("Actually, the tests pass.", False),
        ("Actually, `render()` is fine.", False),
        ("Wait, I see `parse()` has a test. Let me run it.", False),
        ("`parse()` actually drops the zone.", False),
        ("No, `parse()` has no tests.", False),
        ("", False),
    ],
)
def test_paragraph_that_begins_with_a_correction_takes_back_what_names_the_same_code(
    text: str, is_taken_back: bool
) -> None:
    assert taken_back(text, 3, [statement()]) == ([statement()] if is_taken_back else [])


@pytest.mark.parametrize(
    ("text", "is_taken_back"),
    [
        ("We're still having the issue. Let's look at `render()`.", True),
        ("I still get the same error.", True),
        ("Hmm, it seems our first attempt didn't fully fix the issue.", True),
        ("The test still fails.", True),
        ("That didn't work.", True),
        ("Let's try a different approach.", True),
        ("I still have `render()` to update.", False),
        ("The tests pass, and the issue is gone.", False),
        ("It fixes what still failed.", False),
    ],
)
def test_trouble_that_is_still_there_takes_back_the_causes_and_cures_just_named(text: str, is_taken_back: bool) -> None:
    fact = Statement("learning", "`load()` reads `DATABASE_URL` only when it starts.", 2)
    assert taken_back(text, 3, [statement(), fact]) == ([statement()] if is_taken_back else [])


def test_only_the_last_messages_are_taken_back() -> None:
    statements = [statement(1), statement(2), statement(WITHIN + 2)]

    assert taken_back("Actually, `parse()` is fine.", WITHIN + 2, statements) == [statements[1]]


def test_learning_that_is_taken_back_is_not_extracted() -> None:
    messages = [said(1, CAUSE), said(2, TAKEN_BACK)]

    assert [learning.content for learning in IncrementalExtractor().extract(messages[:1])] == [CAUSE]
    assert CAUSE not in [learning.content for learning in IncrementalExtractor().extract(messages)]


def test_person_takes_nothing_of_the_agents_back() -> None:
    messages = [said(1, CAUSE), said(2, "Actually, is `parse()` tested?", Role.PERSON)]

    assert CAUSE in [learning.content for learning in IncrementalExtractor().extract(messages)]


@pytest.mark.parametrize(("index", "is_withdrawn"), [(1 + WITHIN, True), (2 + WITHIN, False)])
def test_learning_of_an_earlier_reading_that_is_taken_back_is_withdrawn(index: int, is_withdrawn: bool) -> None:
    first = IncrementalExtractor()
    (learning,) = first.extract([said(1, CAUSE)])
    second = IncrementalExtractor(json.loads(json.dumps(first.memory)))

    second.extract([said(2, "Let me look.")])
    third = IncrementalExtractor(second.memory)
    third.extract([said(index, TAKEN_BACK)])

    assert (first.withdrawn, second.withdrawn) == ([], [])
    assert third.withdrawn == ([Statement(learning.type, learning.content, 1)] if is_withdrawn else [])


def test_learning_is_withdrawn_once() -> None:
    first = IncrementalExtractor()
    first.extract([said(1, CAUSE)])
    second = IncrementalExtractor(first.memory)
    second.extract([said(2, TAKEN_BACK), said(3, TAKEN_BACK)])

    assert len(second.withdrawn) == 1
    third = IncrementalExtractor(second.memory)
    third.extract([said(4, TAKEN_BACK)])
    assert third.withdrawn == []


CURE = 'The crash on empty names was that `get` returns None for a null name; `or "world"` fixes it.'


@pytest.mark.parametrize(
    ("words", "index", "is_turned_down"),
    [
        ("no, raise a ValueError for a null name instead, because silent defaults hid the bug", 2, True),
        ("No. Don't hide the null name, use an error rather than a default.", 3, True),
        ("no, raise a ValueError for a null name instead", 5, False),
        ("raise a ValueError for a null name instead", 2, False),
        ("no, the button should be blue instead", 2, False),
        ("no, that is the null name", 2, False),
    ],
    ids=["at once", "after the mark of a stop", "later", "no objection", "about something else", "nothing instead"],
)
def test_cure_that_a_person_turns_down_at_once_is_taken_back(words: str, index: int, is_turned_down: bool) -> None:
    cure = Statement("solution", CURE, 1)

    assert turned_down(words, index, [cure]) == ([cure] if is_turned_down else [])


def test_persons_correction_stays_and_the_cure_before_it_goes() -> None:
    cause = f"The root cause was that `get` returns None for a null name, so {CURE}"
    words = "no, raise a ValueError for a null name instead, because silent defaults hid the bug in May"
    extractor = IncrementalExtractor()
    before = extractor.extract([said(1, cause)])
    after = extractor.extract([said(2, words, Role.PERSON)], after=1)

    assert [learning.type for learning in before] == ["solution"]
    assert [(learning.type, learning.content) for learning in after] == [("correction", f"R{words[5:]}.")]
    assert extractor.withdrawn == [Statement.of(before[0])]
