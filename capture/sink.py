"""The way of learnings into the database: what a queue file holds is stored once, however often it comes."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from capture import compactions, failures, identities
from capture.documents import stage
from capture.models import Capture, CaptureState, Learning, LearningIdentity, LearningSource
from memoryserver.accounts.models import Project, User
from memoryserver.jobs import enqueue
from obslog.emit import emit

EMBED_JOB = "capture.jobs.embed_pending"
SOURCE = "system:capture"


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
    """What became of a queue file: learnings new here, learnings met again; `duplicate` if it had come before.

    One that was deleted counts as known.
    """

    stored: int
    known: int
    duplicate: bool


def store(user: User, project: Project | None, incoming: IncomingCapture) -> Stored:
    """Keep what `incoming` holds, all of it or, on any error, nothing.

    A capture of the same id for the same context changes nothing, unless learnings are in it that it did not have
    before: a newer laptop finds more in the same messages. A learning that is known, by any wording it ever had, is
    counted and its source added; a hidden one stays hidden, and of a deleted one nothing is kept.
    """
    with transaction.atomic():
        identities.hold(user)
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
        kept = [_keep(user, project, capture, learning) for learning in incoming.learnings]
        fresh = [learning for learning, is_new in kept if is_new and learning is not None]
        if new:
            compactions.note_detected(state, incoming.compaction_number, incoming.captured_at)
            _advance(state, incoming)
            failures.resolve(user, str(incoming.capture_id))
        if fresh:
            stage(user, project, fresh)
            enqueue(EMBED_JOB)
            _tell(user, capture, incoming, fresh)
    return Stored(stored=len(fresh), known=len(kept) - len(fresh) if new else 0, duplicate=not new)


def store_by_hand(user: User, project: Project | None, incoming: IncomingLearning) -> tuple[Learning | None, bool]:
    """Keep what a person, or their agent for them, says is worth knowing; the learning, and whether it is new.

    What is known is counted. What a person hid stays hidden and what they deleted is not kept (None), since it may be
    an agent that says it again. ValueError where nothing is left of the content without its secrets.
    """
    content = identities.wording(incoming.content)
    if not content:
        raise ValueError("content: nothing is left of it once secrets and private parts are cut out")
    now = timezone.now()
    with transaction.atomic():
        identities.hold(user)
        claimed, new = identities.claim(user, project, incoming.type, content)
        if not new and claimed.learning is None:
            return None, False
        learning = claimed.learning or _make(claimed, incoming, content, now)
        if not new:
            _count(learning, now)
        Learning.objects.filter(pk=learning.pk, by_hand_at=None).update(by_hand_at=now)
        learning.refresh_from_db()
        if new:
            stage(user, project, [learning])
            enqueue(EMBED_JOB)
            emit(
                user,
                type="capture.stored_by_hand",
                source=SOURCE,
                message=f"{learning.type} stored by hand: {learning.content}",
                scope_ids=[f"learning:{learning.pk}"],
            )
    return learning, new


def _state(user: User, project: Project | None, incoming: IncomingCapture) -> CaptureState:
    """The context's row; made where nothing was heard of it before."""
    metadata = incoming.metadata
    state, _ = CaptureState.objects.get_or_create(
        user=user,
        context_id=incoming.context_id,
        defaults={
            "project": project,
            "agent_kind": str(metadata.get("agent_kind", ""))[:50],
            "transcript": str(metadata.get("transcript", "")),
            "last_activity_at": incoming.captured_at,
        },
    )
    return state


def _advance(state: CaptureState, incoming: IncomingCapture) -> None:
    if state.last_captured_at is None or incoming.captured_at >= state.last_captured_at:
        state.last_captured_at = incoming.captured_at
        state.last_message_index = incoming.message_range[1]
        state.compaction_count = max(state.compaction_count, incoming.compaction_number)
    state.message_count = max(state.message_count, incoming.message_range[1])
    state.learnings_delivered += len(incoming.learnings)
    state.save()


def _keep(
    user: User, project: Project | None, capture: Capture, incoming: IncomingLearning
) -> tuple[Learning | None, bool]:
    """The learning's row, None for a deleted one or if it was all secrets, and whether it is new.

    Redacted here too: an old laptop may know fewer kinds of secret.
    """
    content = identities.wording(incoming.content)
    if not content:
        return None, False
    claimed, new = identities.claim(user, project, incoming.type, content)
    if not new and claimed.learning is None:
        return None, False
    learning = claimed.learning or _make(claimed, incoming, content, capture.captured_at)
    _, is_met = LearningSource.objects.get_or_create(
        learning=learning,
        capture=capture,
        message_index=incoming.source_message_index,
        defaults={"message_uuid": incoming.source_message_uuid[:100]},
    )
    if is_met and not new:
        _count(learning, min(capture.captured_at, timezone.now()))
    return learning, new


def _make(claimed: LearningIdentity, incoming: IncomingLearning, content: str, seen: datetime) -> Learning:
    """The row of a learning that is not known, under the identity it has claimed."""
    learning = Learning.objects.create(
        user=claimed.user,
        project=claimed.project,
        type=incoming.type,
        content=content,
        content_digest=identities.text_digest(content),
        confidence=incoming.confidence,
        reasons=list(incoming.reasons),
        files=list(incoming.files),
        tools=list(incoming.tools),
        first_seen=seen,
        last_seen=seen,
    )
    claimed.learning = learning
    claimed.save(update_fields=["learning"])
    return learning


def _count(learning: Learning, seen: datetime) -> None:
    Learning.objects.filter(pk=learning.pk).update(
        seen_count=F("seen_count") + 1, last_seen=max(learning.last_seen, seen)
    )


def _tell(user: User, capture: Capture, incoming: IncomingCapture, fresh: Sequence[Learning]) -> None:
    emit(
        user,
        type="capture.learnings",
        source=SOURCE,
        message=f"{len(fresh)} new learnings from {incoming.context_id}",
        data={"types": sorted({learning.type for learning in fresh})},
        scope_ids=[incoming.context_id, str(capture.capture_id)],
    )
