"""Statements that the agent takes back itself yield no learning."""

from __future__ import annotations

import pytest

from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.extraction.learning import Learning
from capture.local.extraction.revocations import WITHIN, taken_back
from capture.local.transcripts.messages import Kind, Message, Role

CAUSE = "The root cause was that `parse()` drops the zone, so dates in `store.py` were one day off."


def statement(index: int = 1) -> Learning:
    return Learning("solution", CAUSE, 0.9, index)


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


def test_only_the_last_messages_are_taken_back() -> None:
    said = [statement(1), statement(2), statement(WITHIN + 2)]

    assert taken_back("Actually, `parse()` is fine.", WITHIN + 2, said) == [said[1]]


def test_learning_that_is_taken_back_is_not_extracted() -> None:
    messages = [
        Message(1, Role.AGENT, Kind.WORDS, text=CAUSE),
        Message(2, Role.AGENT, Kind.WORDS, text="Actually, `parse()` is right; the clock is wrong."),
    ]

    assert [learning.content for learning in IncrementalExtractor().extract(messages[:1])] == [CAUSE]
    assert CAUSE not in [learning.content for learning in IncrementalExtractor().extract(messages)]


def test_person_takes_nothing_of_the_agents_back() -> None:
    messages = [
        Message(1, Role.AGENT, Kind.WORDS, text=CAUSE),
        Message(2, Role.PERSON, Kind.WORDS, text="Actually, is `parse()` tested?"),
    ]

    assert CAUSE in [learning.content for learning in IncrementalExtractor().extract(messages)]
