"""Storing of learnings: the content of a queue file is stored once, however often it is delivered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from capture import compactions, failures, identities
from capture.belief import sessions, sources, usage
from capture.belief.sources import Source
from capture.deliveries import IncomingCapture, IncomingLearning, StoreResult
from capture.documents import stage_new
from capture.local.extraction.status_reports import is_status_report
from capture.models import Capture, CaptureState, Learning, LearningIdentity, LearningSource
from capture.statements import withdrawals
from memoryserver.accounts.models import Project, User
from memoryserver.common.counted import counted
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean, one_line, printable
from memoryserver.errors import InvalidInputError
from memoryserver.jobs import enqueue
from memoryserver.reported_times import credible
from obslog.emit import emit

EMBED_JOB = "capture.jobs.embed_pending"
SOURCE = "system:capture"
MAX_QUOTE = 2_000  # characters


def store(user: User, project: Project | None, incoming: IncomingCapture) -> StoreResult:
    """Store the learnings of `incoming`, all of them or, on any error, none.

    A capture with a known id adds only learnings that it did not contain before: a newer client may extract more from
    the same messages. A learning that is known by any of its wordings is counted and its source added; a hidden one
    stays hidden, and a deleted one is not stored. What it withdraws is hidden, whichever of both is delivered first.
    """
    with transaction.atomic():
        identities.lock(user)
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
                "agent_session": str(incoming.metadata.get("session_id") or "")[:200],
            },
        )
        stored = _store_all(user, project, capture, incoming.learnings)
        new_learnings = [learning for learning, is_new in stored if is_new and learning is not None]
        if new:
            compactions.record_detected(state, incoming.compaction_number, incoming.captured_at)
            _advance(state, capture, incoming)
            failures.resolve(user, str(incoming.capture_id))
        if new_learnings:
            _publish(user, project, capture, incoming, new_learnings)
        withdrawals.apply(capture, incoming.withdrawn)
    return StoreResult(
        stored=len(new_learnings), known=len(stored) - len(new_learnings) if new else 0, duplicate=not new
    )


def _publish(
    user: User, project: Project | None, capture: Capture, incoming: IncomingCapture, learnings: Sequence[Learning]
) -> None:
    """Make new learnings searchable and log them, and hide those that a capture delivered before them took back."""
    stage_new(user, project, learnings)
    enqueue(EMBED_JOB)
    _log_capture(user, capture, incoming, learnings)
    withdrawals.apply_earlier(capture)


def store_by_hand(
    user: User, project: Project | None, incoming: IncomingLearning, *, session_id: str = "", stored_by: str = ""
) -> tuple[Learning | None, bool]:
    """Store a learning given by a person, or by their agent in `session_id`; return it, and whether it is new.

    `stored_by` is one of `Learning.StoredBy`; "" if it is not known, but for a session it is the agent. A known
    learning is counted, unless it is the same statement, by its time, that comes again. A hidden one stays hidden and a
    deleted one is not stored (None), since an agent may be repeating it. Raises InvalidInputError if the content
    consists of secrets and private parts only. After an error of the database, a caller's transaction can only be
    rolled back.
    """
    incoming = replace(incoming, source="agent")
    content = identities.wording(incoming.content)
    if not content:
        raise InvalidInputError("content: empty without secrets and private parts")
    now = timezone.now()
    note = _by_hand(incoming, session_id, stored_by, now)
    with transaction.atomic(savepoint=False):
        identities.lock(user)
        key = identities.key_of(incoming.type, content)
        claimed = identities.known(user, project, [key]).get(key)
        if claimed is not None:
            if claimed.learning is not None:
                _meet_by_hand(claimed.learning, incoming, note, now)
            return claimed.learning, False
        learning = _new(user, project, incoming, content, now, **note)
        _create({key: learning})
        stage_new(user, project, [learning])
        enqueue(EMBED_JOB)
        _log_by_hand(learning)
    return learning, True


def _meet_by_hand(learning: Learning, incoming: IncomingLearning, note: Mapping[str, Any], now: datetime) -> None:
    """Count a known learning that is stored by hand; when, where and by whom it was stored so first stays."""
    if note["by_hand_at"] != learning.by_hand_at:  # else sent again, since no answer came
        _count(learning, incoming, now)
    Learning.objects.filter(pk=learning.pk, by_hand_at=None).update(**note)
    learning.refresh_from_db()


def _by_hand(incoming: IncomingLearning, session_id: str, stored_by: str, now: datetime) -> dict[str, Any]:
    """Return the fields that say when, in which session and by whom a learning is stored by hand."""
    session = one_line(clean(session_id))[:200]
    return {
        "by_hand_at": now if incoming.time is None else credible(incoming.time, now),
        "by_hand_session": session,
        "by_hand_by": stored_by or (Learning.StoredBy.AGENT if session else ""),
    }


def _state(user: User, project: Project | None, incoming: IncomingCapture) -> CaptureState:
    """Return the context's row, created if missing."""
    metadata = incoming.metadata
    state, _ = CaptureState.objects.get_or_create(
        user=user,
        context_id=incoming.context_id,
        defaults={
            "project": project,
            "agent_kind": str(metadata.get("agent_kind", ""))[:50],
            "transcript": str(metadata.get("transcript", "")),
            "last_activity_at": _last_activity(incoming),
        },
    )
    return state


def _last_activity(incoming: IncomingCapture) -> datetime:
    """Return when somebody last spoke, as far as the capture says; old transcripts may be captured long after that."""
    captured_at = credible(incoming.captured_at, timezone.now())
    times = [credible(learning.time, captured_at) for learning in incoming.learnings if learning.time is not None]
    return max(times) if len(times) == len(incoming.learnings) and times else captured_at


def _advance(state: CaptureState, capture: Capture, incoming: IncomingCapture) -> None:
    captured_at = credible(incoming.captured_at, timezone.now())
    if state.last_captured_at is None or captured_at >= state.last_captured_at:
        state.last_captured_at = captured_at
        state.last_message_index = incoming.message_range[1]
        state.compaction_count = max(state.compaction_count, incoming.compaction_number)
    state.message_count = max(state.message_count, incoming.message_range[1])
    sessions.note_activity(state, _last_activity(incoming), capture=capture)
    state.learnings_delivered += len(incoming.learnings)
    state.save()


def _store_all(
    user: User, project: Project | None, capture: Capture, incoming: Sequence[IncomingLearning]
) -> list[tuple[Learning | None, bool]]:
    """Return for each its learning, None if it was deleted or has only secrets, and whether it is new.

    Content is redacted here too: an old client may know fewer kinds of secrets. New learnings are stored together, by
    one statement for each table.
    """
    contents = [identities.wording(each.content) for each in incoming]
    keys = [identities.key_of(each.type, content) for each, content in zip(incoming, contents, strict=True)]
    known = identities.known(user, project, keys)
    created: dict[identities.Key, Learning] = {}
    quoted: dict[int, LearningSource] = {}  # by the place in `incoming`
    for place, (each, content, key) in enumerate(zip(incoming, contents, keys, strict=True)):
        if content and key not in known and key not in created:
            created[key] = _new(user, project, each, content, _seen_at(capture, each))
            quoted[place] = _quote(created[key], capture, each)
    _create(created)
    LearningSource.objects.bulk_create(quoted.values())
    results: list[tuple[Learning | None, bool]] = []
    for place, (each, key) in enumerate(zip(incoming, keys, strict=True)):
        learning = created.get(key) or (known[key].learning if key in known else None)
        if learning is not None and place not in quoted:
            _meet_again(learning, capture, each)
        results.append((learning, place in quoted))
    return results


def _meet_again(learning: Learning, capture: Capture, incoming: IncomingLearning) -> None:
    """Add the source of a known learning and count it, unless this message of the capture was counted before."""
    source = _quote(learning, capture, incoming)
    defaults = {name: getattr(source, name) for name in ("message_uuid", "message_time", "quote")}
    _, is_new_source = LearningSource.objects.get_or_create(
        learning=learning, capture=capture, message_index=incoming.source_message_index, defaults=defaults
    )
    if is_new_source:
        _count(learning, incoming, _seen_at(capture, incoming))
        usage.count("quoted", usage.was_given([learning.pk]))


def _quote(learning: Learning, capture: Capture, incoming: IncomingLearning) -> LearningSource:
    return LearningSource(
        learning=learning,
        capture=capture,
        message_index=incoming.source_message_index,
        message_uuid=incoming.source_message_uuid[:100],
        message_time=incoming.time,
        quote=redact(printable(incoming.quote[:MAX_QUOTE])).text,
    )


def _seen_at(capture: Capture, incoming: IncomingLearning) -> datetime:
    """Return when the message was written: as the transcript says, else when it was captured, if that can be right."""
    captured_at = credible(capture.captured_at, capture.received_at)
    return captured_at if incoming.time is None else credible(incoming.time, captured_at)


def _new(
    user: User, project: Project | None, incoming: IncomingLearning, content: str, seen_at: datetime, **more: Any
) -> Learning:
    return Learning(
        user=user,
        project=project,
        type=incoming.type,
        content=content,
        content_digest=identities.text_digest(content),
        source=_source_of(incoming),
        confidence=incoming.confidence,
        is_report=is_status_report(incoming.type, content),
        reasons=list(incoming.reasons),
        files=list(incoming.files),
        tools=list(incoming.tools),
        first_seen=seen_at,
        last_seen=seen_at,
        **more,
    )


def _create(learnings: Mapping[identities.Key, Learning]) -> None:
    """Store new learnings with their identities."""
    Learning.objects.bulk_create(learnings.values())
    LearningIdentity.objects.bulk_create(
        LearningIdentity(user=learning.user, project=learning.project, type=kind, digest=digest, learning=learning)
        for (kind, digest), learning in learnings.items()
    )


def _source_of(incoming: IncomingLearning) -> Source:
    return incoming.source or sources.derive(incoming.reasons)


def _count(learning: Learning, incoming: IncomingLearning, seen_at: datetime) -> None:
    """Count that the learning was met again, with the better of both judgements on it.

    One that was merged counts for the one that is shown instead, too.
    """
    if learning.merged_into is not None:
        kept = learning.merged_into
        Learning.objects.filter(pk=kept.pk).update(
            seen_count=F("seen_count") + 1, last_seen=max(kept.last_seen, seen_at)
        )
    Learning.objects.filter(pk=learning.pk).update(
        seen_count=F("seen_count") + 1,
        last_seen=max(learning.last_seen, seen_at),
        source=sources.better(learning.source, _source_of(incoming)),
        confidence=max(learning.confidence, incoming.confidence),
    )


def _log_by_hand(learning: Learning) -> None:
    emit(
        learning.user,
        type="capture.stored_by_hand",
        source=SOURCE,
        message=f"learning stored by hand: {learning.type} {learning.pk}",
        data={"type": learning.type, "content_digest": learning.content_digest},
        scope_ids=[f"learning:{learning.pk}"],
        project=learning.project_id,
    )


def _log_capture(user: User, capture: Capture, incoming: IncomingCapture, new_learnings: Sequence[Learning]) -> None:
    emit(
        user,
        type="capture.learnings",
        source=SOURCE,
        message=f"{counted(len(new_learnings), 'new learning')} from {incoming.context_id}",
        data={"types": sorted({learning.type for learning in new_learnings})},
        scope_ids=[incoming.context_id, str(capture.capture_id)],
        project=capture.state.project_id,
    )
