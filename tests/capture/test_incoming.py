"""The schemas of queue files and of reports: what is accepted, and what is refused with which reason."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from capture import incoming
from capture.contexts import ReportedContext
from capture.deliveries import IncomingCapture, IncomingLearning
from capture.local import LEARNING_TYPES
from capture.statements.withdrawals import Withdrawal

THEN = datetime(2026, 11, 20, 12, tzinfo=UTC)


def learning(**changes: Any) -> dict[str, Any]:
    return {"type": "gotcha", "content": "x", "confidence": 0.9, "source_message_index": 45, **changes}


def queue_file(**changes: Any) -> dict[str, Any]:
    return {
        "capture_id": str(uuid.UUID(int=1)),
        "context_id": "c",
        "captured_at": "2026-11-20T12:00:00Z",
        "message_range": [43, 50],
        "compaction_number": 0,
        "learnings": [learning()],
        **changes,
    }


def test_queue_file_becomes_the_sinks_input() -> None:
    parsed = incoming.QueueFile(**queue_file(metadata={"project": "shop"}))

    assert parsed.project == "shop"
    assert parsed.incoming() == IncomingCapture(
        capture_id=uuid.UUID(int=1),
        context_id="c",
        captured_at=THEN,
        message_range=(43, 50),
        compaction_number=0,
        learnings=[IncomingLearning("gotcha", "x", 0.9, 45, reasons=[], files=[], tools=[])],
        metadata={"project": "shop"},
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-20T12:00:00Z", THEN),
        ("2026-11-20T14:00:00.000+02:00", THEN),
        ("2026-11-20T12:00:00", THEN),
        ("", None),
        ("yesterday", None),
        ("2026-13-45T99:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        (1764000000, None),
        (None, None),
    ],
)
def test_message_time_is_read_in_utc_and_an_unreadable_one_is_unknown(text: object, expected: datetime | None) -> None:
    assert incoming.LearningIn(**learning(time=text)).incoming().time == expected


@pytest.mark.parametrize(("metadata", "project"), [({}, ""), ({"project": None}, ""), ({"project": 7}, "7")])
def test_project_is_a_text_whatever_the_metadata_says(metadata: dict[str, Any], project: str) -> None:
    assert incoming.QueueFile(**queue_file(metadata=metadata)).project == project


def test_every_type_of_learning_is_accepted() -> None:
    assert [incoming.LearningIn(**learning(type=kind)).type for kind in LEARNING_TYPES] == list(LEARNING_TYPES)


@pytest.mark.parametrize("message_range", [[0, 0], [1, 0], [5, 5]], ids=["one message", "empty", "first is last"])
def test_range_of_one_message_or_none_is_accepted(message_range: list[int]) -> None:
    assert incoming.QueueFile(**queue_file(message_range=message_range)).message_range == tuple(message_range)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"capture_id": "x"}, ("capture_id",)),
        ({"context_id": ""}, ("context_id",)),
        ({"context_id": "c" * 201}, ("context_id",)),
        ({"captured_at": "2026-11-20T12:00:00"}, ("captured_at",)),
        ({"compaction_number": -1}, ("compaction_number",)),
        ({"compaction_number": 2**31}, ("compaction_number",)),
        ({"message_range": [3, 1]}, ()),
        ({"message_range": [-1, 1]}, ()),
        ({"message_range": [1, 2**63]}, ()),
        ({"learnings": [learning()] * (incoming.MAX_LEARNINGS + 1)}, ("learnings",)),
        ({"learnings": [learning(type="nonsense")]}, ("learnings", 0, "type")),
        ({"learnings": [learning(content="")]}, ("learnings", 0, "content")),
        ({"learnings": [learning(content="x" * (incoming.MAX_CONTENT + 1))]}, ("learnings", 0, "content")),
        ({"learnings": [learning(confidence=1.1)]}, ("learnings", 0, "confidence")),
        ({"learnings": [learning(source_message_index=-1)]}, ("learnings", 0, "source_message_index")),
        ({"learnings": [learning(files=["f"] * 101)]}, ("learnings", 0, "files")),
    ],
    ids=[
        "capture id is no UUID",
        "no context id",
        "long context id",
        "time without a zone",
        "negative compaction",
        "compaction beyond the column",
        "range ends before it begins",
        "negative range",
        "range beyond the column",
        "too many learnings",
        "unknown type",
        "empty content",
        "long content",
        "confidence above 1",
        "negative message",
        "too many files",
    ],
)
def test_invalid_queue_file_is_refused_at_the_field(changes: dict[str, Any], place: tuple[object, ...]) -> None:
    with pytest.raises(ValidationError) as error:
        incoming.QueueFile(**queue_file(**changes))
    assert [problem["loc"] for problem in error.value.errors()] == [place]


def test_report_becomes_the_services_input() -> None:
    body = {"context_id": "c", "message_count": 3, "last_activity": "2026-11-20T12:00:00Z"}

    assert incoming.ReportedContexts(contexts=[body]).contexts_reported() == [ReportedContext("c", "", "", 3, THEN, 0)]  # type: ignore[list-item]


@pytest.mark.parametrize("count", [0, incoming.MAX_CONTEXTS + 1])
def test_report_of_no_or_too_many_contexts_is_refused(count: int) -> None:
    body = {"context_id": "c", "message_count": 3, "last_activity": "2026-11-20T12:00:00Z"}

    with pytest.raises(ValidationError, match="contexts"):
        incoming.ReportedContexts(contexts=[body] * count)  # type: ignore[list-item]


def test_withdrawn_learnings_of_a_queue_file_become_withdrawals() -> None:
    withdrawn = {"type": "solution", "content": "The cause was `f()`", "source_message_index": 7}

    parsed = incoming.QueueFile(**queue_file(learnings=[], withdrawn=[withdrawn]))

    assert parsed.incoming().withdrawn == (Withdrawal("solution", "The cause was `f()`", 7),)
