"""Schemas of queue files and context reports, for the API and for capture on the server."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Annotated, Any

from django.utils.dateparse import parse_datetime
from ninja import Field, Schema
from pydantic import AfterValidator, BeforeValidator, model_validator

from capture.belief.sources import Source
from capture.contexts import ReportedContext
from capture.deliveries import IncomingCapture, IncomingLearning
from capture.local import LEARNING_TYPES
from capture.statements.withdrawals import Withdrawal
from memoryserver.reported_times import UtcDatetime

MAX_CONTENT = 4_000
MAX_LEARNINGS = 5_000
MAX_CONTEXTS = 500

Names = Annotated[list[str], Field(max_length=100)]


def _check_type(kind: str) -> str:
    if kind not in LEARNING_TYPES:
        raise ValueError(f"must be one of {', '.join(LEARNING_TYPES)}")
    return kind


LearningType = Annotated[str, AfterValidator(_check_type)]


def _parse_time(text: object) -> datetime | None:
    """Return a time that the client may not know, in UTC where it names no zone; None for one that cannot be read.

    The text may be copied from a transcript, and one odd time must not make the whole request invalid.
    """
    try:
        moment = parse_datetime(text) if isinstance(text, str) else None
        if moment is None:
            return None
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


OptionalTime = Annotated[datetime | None, BeforeValidator(_parse_time)]


class LearningIn(Schema):
    """One learning of a queue file. `time` is that of its message; older clients send neither it nor `source`."""

    type: LearningType
    content: str = Field(min_length=1, max_length=MAX_CONTENT)
    confidence: float = Field(ge=0, le=1)
    source_message_index: int = Field(ge=0, lt=2**63)
    source_message_uuid: str = ""
    reasons: Names = []
    files: Names = []
    tools: Names = []
    time: OptionalTime = None
    source: Source | None = None
    quote: str = Field("", max_length=MAX_CONTENT, description="the lines of its message around it")

    def incoming(self) -> IncomingLearning:
        """Return the learning as the sink's input."""
        return IncomingLearning(**self.dict())


class WithdrawnIn(Schema):
    """A learning of an earlier queue file of the same context that the agent took back since."""

    type: LearningType
    content: str = Field(min_length=1, max_length=MAX_CONTENT)
    source_message_index: int = Field(ge=0, lt=2**63)


class QueueFile(Schema):
    """A queue file as written by the client; its project is named in the metadata."""

    capture_id: uuid.UUID
    context_id: str = Field(min_length=1, max_length=200)
    captured_at: UtcDatetime
    message_range: tuple[int, int]
    compaction_number: int = Field(ge=0, lt=2**31)
    learnings: list[LearningIn] = Field(max_length=MAX_LEARNINGS)
    metadata: dict[str, Any] = {}
    withdrawn: list[WithdrawnIn] = Field([], max_length=MAX_LEARNINGS)

    @model_validator(mode="after")
    def _check_range(self) -> QueueFile:
        first, last = self.message_range
        if not 0 <= first <= last + 1 < 2**63:
            raise ValueError("message_range must be two message numbers, the first not above the last")
        return self

    @property
    def project(self) -> str:
        """The key of the project, "" for none."""
        return str(self.metadata.get("project") or "")

    def incoming(self) -> IncomingCapture:
        """Return the queue file as the sink's input."""
        learnings = [learning.incoming() for learning in self.learnings]
        withdrawn = tuple(Withdrawal(**item.dict()) for item in self.withdrawn)
        return IncomingCapture(
            **self.dict(exclude={"learnings", "withdrawn"}), learnings=learnings, withdrawn=withdrawn
        )


class ContextIn(Schema):
    """One context: a transcript as far as it has been read. `project` is a project's key.

    `ended` is when its session ended, so that nothing of it is provisional any more; null while it runs. Without it, as
    from older clients, or if it cannot be read, the session is over after a silence.
    """

    context_id: str = Field(min_length=1, max_length=200)
    agent_kind: str = Field("", max_length=50)
    project: str = ""
    message_count: int = Field(ge=0, lt=2**63)
    last_activity: UtcDatetime
    compaction_count: int = Field(0, ge=0, lt=2**31)
    ended: OptionalTime = None


class ReportedContexts(Schema):
    """The contexts of one client that changed since its last report."""

    contexts: list[ContextIn] = Field(min_length=1, max_length=MAX_CONTEXTS)

    def contexts_reported(self) -> list[ReportedContext]:
        """Return the contexts as the service's input."""
        return [ReportedContext(**context.dict()) for context in self.contexts]
