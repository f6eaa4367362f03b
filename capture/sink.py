"""The way of learnings into the database: what a queue file holds is stored once, however often it comes."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from capture.documents import stage
from capture.models import Capture, CaptureState, Learning, LearningSource
from memoryserver.accounts.models import Project, User
from memoryserver.jobs import enqueue
from memoryserver.local.redaction import redact
from memoryserver.vectors.backlog import reset
from obslog.emit import emit

EMBED_JOB = "capture.jobs.embed_pending"


@dataclass(frozen=True)
class IncomingLearning:
    """One learning of a queue file."""

    type: str
    content: str
    confidence: float
    source_message_index: int
    source_message_uuid: str = ""
    reasons: Sequence[str] = ()
    files: Sequence[str] = ()
    tools: Sequence[str] = ()


@dataclass(frozen=True)
class IncomingCapture:
    """One queue file."""

    capture_id: uuid.UUID
    context_id: str
    captured_at: datetime
    message_range: tuple[int, int]
    compaction_number: int
    learnings: Sequence[IncomingLearning]
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stored:
    """What became of a queue file: learnings new here, learnings met again; `duplicate` if it had come before."""

    stored: int
    known: int
    duplicate: bool


def store(user: User, project: Project | None, incoming: IncomingCapture) -> Stored:
    """Keep what `incoming` holds, all of it or, on any error, nothing.

    A capture of the same id for the same context changes nothing. A learning that is known is counted and
    its source added; a hidden one stays hidden.
    """
    with transaction.atomic():
        state = _state(user, project, incoming)
        capture, new = Capture.objects.get_or_create(
            state=state,
            capture_id=incoming.capture_id,
            defaults={
                "captured_at": incoming.captured_at,
                "first_message_index": incoming.message_range[0],
                "last_message_index": incoming.message_range[1],
                "compaction_number": incoming.compaction_number,
                "metadata": incoming.metadata,
            },
        )
        if not new:
            return Stored(stored=0, known=0, duplicate=True)
        kept = [_keep(user, project, capture, learning) for learning in incoming.learnings]
        fresh = [learning for learning, is_new in kept if is_new]
        _advance(state, incoming)
        if fresh:
            stage(user, project, fresh)
            enqueue(EMBED_JOB)
            _tell(user, capture, incoming, fresh)
    return Stored(stored=len(fresh), known=len(kept) - len(fresh), duplicate=False)


def set_hidden(learnings: QuerySet[Learning], *, hidden: bool) -> int:
    """Hide `learnings` from every search, or show them again; how many changed. Capture never undoes it."""
    with transaction.atomic():
        changed = list(learnings.exclude(hidden=hidden).select_related("user", "project"))
        for learning in changed:
            learning.hidden = hidden
            learning.save(update_fields=["hidden"])
            stage(learning.user, learning.project, [learning])
        if not hidden and reset(Learning.objects.filter(pk__in=[learning.pk for learning in changed])):
            enqueue(EMBED_JOB)
    return len(changed)


def _state(user: User, project: Project | None, incoming: IncomingCapture) -> CaptureState:
    """The context's row, locked, so that two deliveries of one context follow each other."""
    metadata = incoming.metadata
    state, _ = CaptureState.objects.get_or_create(
        user=user,
        context_id=incoming.context_id,
        defaults={
            "project": project,
            "agent_kind": str(metadata.get("agent_kind", ""))[:50],
            "transcript": str(metadata.get("transcript", "")),
            "last_captured_at": incoming.captured_at,
        },
    )
    return CaptureState.objects.select_for_update().get(pk=state.pk)


def _advance(state: CaptureState, incoming: IncomingCapture) -> None:
    if incoming.captured_at >= state.last_captured_at:
        state.last_captured_at = incoming.captured_at
        state.last_message_index = incoming.message_range[1]
        state.compaction_count = max(state.compaction_count, incoming.compaction_number)
    state.learnings_delivered += len(incoming.learnings)
    state.save()


def _keep(user: User, project: Project | None, capture: Capture, incoming: IncomingLearning) -> tuple[Learning, bool]:
    """The learning's row and whether it is new. Redacted here too: an old laptop may know fewer kinds of secret."""
    content = redact(incoming.content).text.strip()
    now = timezone.now()
    learning, new = Learning.objects.get_or_create(
        user=user,
        project=project,
        type=incoming.type,
        identity=identity(content),
        defaults={
            "content": content,
            "content_digest": _digest(content),
            "confidence": incoming.confidence,
            "reasons": list(incoming.reasons),
            "files": list(incoming.files),
            "tools": list(incoming.tools),
            "first_seen": capture.captured_at,
            "last_seen": capture.captured_at,
        },
    )
    if not new:
        Learning.objects.filter(pk=learning.pk).update(
            seen_count=F("seen_count") + 1, last_seen=max(learning.last_seen, min(capture.captured_at, now))
        )
    LearningSource.objects.get_or_create(
        learning=learning,
        capture=capture,
        message_index=incoming.source_message_index,
        defaults={"message_uuid": incoming.source_message_uuid[:100]},
    )
    return learning, new


def _tell(user: User, capture: Capture, incoming: IncomingCapture, fresh: Sequence[Learning]) -> None:
    emit(
        user,
        type="capture.learnings",
        source="system:capture",
        message=f"{len(fresh)} new learnings from {incoming.context_id}",
        data={"types": sorted({learning.type for learning in fresh})},
        scope_ids=[incoming.context_id, str(capture.capture_id)],
    )


def identity(content: str) -> str:
    """Digest of `content` without regard to white space and case."""
    return _digest(" ".join(content.split()).casefold())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
