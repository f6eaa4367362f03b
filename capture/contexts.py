"""Reports of the transcripts that clients have read, including those without learnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from capture import compactions, identities
from capture.belief import sessions
from capture.models import CaptureState
from memoryserver.accounts.models import Project, User
from memoryserver.accounts.projects import project_for

MAX_CLOCK_SKEW = timedelta(minutes=5)
"""How far a client's clock may be ahead; later times are replaced by the current time."""

CLOSING_TIME = timedelta(minutes=1)
"""How long after the end of its session an agent may still write to the transcript."""


@dataclass(frozen=True)
class ReportedContext:
    """One context as reported by a client; `project` is a project's key, "" if unknown.

    `ended` is when the session ended, None while it runs and where the client does not know.
    """

    context_id: str
    agent_kind: str
    project: str
    message_count: int
    last_activity: datetime
    compaction_count: int = 0
    ended: datetime | None = None


def report(user: User, reported: Sequence[ReportedContext]) -> int:
    """Store the reported contexts and return how many changed; older reports change nothing."""
    latest = timezone.now() + MAX_CLOCK_SKEW
    projects = {key: project_for(user, key) for key in {context.project for context in reported}}
    with transaction.atomic():
        identities.lock(user)
        ids = [context.context_id for context in reported]
        states = {state.context_id: state for state in CaptureState.objects.filter(user=user, context_id__in=ids)}
        changed = 0
        for context in reported:
            state = states.setdefault(context.context_id, _new_state(user, context))
            activity = min(context.last_activity, latest)
            moved = _update(state, context, projects[context.project], activity)
            if _note_end(state, context, activity, latest) or moved:
                state.save()
                changed += 1
    return changed


def _new_state(user: User, context: ReportedContext) -> CaptureState:
    return CaptureState(user=user, context_id=context.context_id, last_activity_at=context.last_activity)


def _update(state: CaptureState, context: ReportedContext, project: Project | None, activity: datetime) -> bool:
    """Update `state`, without saving it, and return whether it changed.

    Deliveries may be ahead of a report's message count.
    """
    values = {
        "agent_kind": context.agent_kind or state.agent_kind,
        "message_count": max(context.message_count, state.last_message_index),
        "project": state.project or project,
    }
    is_new = state._state.adding
    if is_new:
        state.last_activity_at = activity
    elif activity < state.last_activity_at and context.message_count <= state.message_count:
        return False
    times = state.last_activity_at, state.settled_until
    # A transcript that was only copied or touched has no new message: nobody spoke, whatever the time of its file.
    spoke = is_new or context.message_count > state.message_count
    sessions.note_activity(state, activity if spoke else state.last_activity_at)
    changed = is_new or times != (state.last_activity_at, state.settled_until)
    changed |= any(getattr(state, name) != value for name, value in values.items())
    for name, value in values.items():
        setattr(state, name, value)
    if context.compaction_count > state.compaction_count:
        compactions.record_detected(state, context.compaction_count, activity)
        state.compaction_count, changed = context.compaction_count, True
    return changed


def _note_end(state: CaptureState, context: ReportedContext, activity: datetime, latest: datetime) -> bool:
    """Note that the session has ended, if the report says so, and return whether that changes `state`.

    An older report counts too: its session was over at that time, whatever came later.
    """
    if context.ended is None:
        return False
    before = state.settled_until
    complete = activity - context.ended <= CLOSING_TIME and context.message_count >= state.message_count
    sessions.note_end(state, min(context.ended, latest), complete=complete)
    return state.settled_until != before
