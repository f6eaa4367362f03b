"""API of capture: laptops deliver queue files."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from ninja import Field, Router, Schema

from capture import sink
from capture.local import LEARNING_TYPES
from memoryserver.accounts.auth import AuthenticatedRequest
from memoryserver.accounts.projects import project_for
from memoryserver.problems import Problem

router = Router(tags=["capture"])

MAX_CONTENT = 4_000
MAX_LEARNINGS = 5_000

Names = Annotated[list[str], Field(max_length=100)]


class LearningIn(Schema):
    """One learning of a queue file."""

    type: str
    content: str = Field(min_length=1, max_length=MAX_CONTENT)
    confidence: float = Field(ge=0, le=1)
    source_message_index: int = Field(ge=0, lt=2**63)
    source_message_uuid: str = ""
    reasons: Names = []
    files: Names = []
    tools: Names = []


class QueueFile(Schema):
    """A queue file as the laptop wrote it; its project is named in the metadata."""

    capture_id: uuid.UUID
    context_id: str = Field(min_length=1, max_length=200)
    captured_at: datetime
    message_range: tuple[int, int]
    compaction_number: int = Field(ge=0, lt=2**31)
    learnings: list[LearningIn] = Field(max_length=MAX_LEARNINGS)
    metadata: dict[str, Any] = {}


class Delivered(Schema):
    """What became of a queue file."""

    capture_id: uuid.UUID
    stored: int
    known: int
    duplicate: bool


@router.post("/queue-files", response=Delivered, summary="Deliver a queue file")
def deliver(request: AuthenticatedRequest, queue_file: QueueFile) -> dict[str, Any]:
    """Idempotent by capture id; once this has answered, the laptop may delete the file."""
    _check(queue_file)
    incoming = sink.IncomingCapture(
        **queue_file.dict(exclude={"learnings"}),
        learnings=[sink.IncomingLearning(**learning.dict()) for learning in queue_file.learnings],
    )
    project = project_for(request.user, str(queue_file.metadata.get("project") or ""))
    stored = sink.store(request.user, project, incoming)
    return {"capture_id": queue_file.capture_id, **vars(stored)}


def _check(queue_file: QueueFile) -> None:
    first, last = queue_file.message_range
    if not 0 <= first <= last + 1 < 2**63:
        raise Problem(422, "message_range: must be two message numbers, the first not above the last")
    if queue_file.captured_at.tzinfo is None:
        raise Problem(422, "captured_at: needs its time zone, such as a final Z")
    for number, learning in enumerate(queue_file.learnings):
        if learning.type not in LEARNING_TYPES:
            raise Problem(422, f"learnings.{number}.type: must be one of {', '.join(LEARNING_TYPES)}")
