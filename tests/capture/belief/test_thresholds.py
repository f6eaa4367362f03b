from __future__ import annotations

import pytest

from capture.belief.thresholds import OF_ONE_TASK, threshold
from capture.local import LEARNING_TYPES
from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.transcripts.messages import Kind, Message, Role


@pytest.mark.parametrize(
    ("source", "type", "expected"),
    [
        ("agent", "solution", 0.3),
        ("observed", "error_recovery", 0.8),
        ("stated", "convention", 0.8),
        ("stated", "solution", 0.95),
        ("later version's", "convention", 0.8),
        ("later version's", "solution", 0.95),
    ],
)
def test_threshold_is_higher_the_less_direct_the_source(source: str, type: str, expected: float) -> None:  # noqa: A002
    assert threshold(source, type) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("The root cause was that `flush` holds a lock.", 0.8),
        ("The issue was a stale cache of the names.", 0.8),
        ("It turned out that the reason for the 502 was the proxy's limit.", 0.8),
        ("The issue is that `flush` holds a lock.", 0.95),
        ("Reduced the padding, since the root cause was the border.", 0.95),
        ("The wording was too long.", 0.95),
    ],
)
def test_cause_that_was_found_is_believed_as_a_fact_of_the_project(content: str, expected: float) -> None:
    assert threshold("stated", "solution", content) == expected


def test_types_of_one_task_are_types_of_learnings() -> None:
    assert set(LEARNING_TYPES) >= OF_ONE_TASK


def test_plain_cause_of_an_agent_is_believed_as_it_is_captured() -> None:
    text = "The root cause was that `gnu_export` waits for a lock that the backup holds."
    message = Message(1, Role.AGENT, Kind.WORDS, text=text)
    (learning,) = IncrementalExtractor().extract([message])

    assert (learning.type, learning.content) == ("solution", text)
    assert learning.confidence > threshold(learning.source, learning.type, learning.content)
