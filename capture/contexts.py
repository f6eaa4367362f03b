"""What laptops say of their contexts, so that those which yielded nothing are known too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from capture import compactions, identities
from capture.models import CaptureState
from memoryserver.accounts.models import Project, User
from memoryserver.accounts.projects import project_for

AHEAD = timedelta(minutes=5)
"""A laptop's clock may be so much ahead; beyond that what it says of a time is taken as now."""


@dataclass(frozen=True)
class ReportedContext:
    """One context as a laptop sees it; `project` is a project's key, "" where it is not known."""

    context_id: str
    agent_kind: str
    project: str
    message_count: int
    last_activity: datetime
    compaction_count: int = 0


def report(user: User, reported: Sequence[ReportedContext]) -> int:
    """Note what is said of each context and return of how many it was news; an older report changes nothing."""
    latest = timezone.now() + AHEAD
    projects = {key: project_for(user, key) for key in {context.project for context in reported}}
    with transaction.atomic():
        identities.hold(user)
        wanted = [context.context_id for context in reported]
        known = {state.context_id: state for state in CaptureState.objects.filter(user=user, context_id__in=wanted)}
        news = 0
        for context in reported:
            state = known.setdefault(context.context_id, _unknown(user, context))
            news += _take_over(state, context, projects[context.project], min(context.last_activity, latest))
    return news


def _unknown(user: User, context: ReportedContext) -> CaptureState:
    return CaptureState(user=user, context_id=context.context_id, last_activity_at=context.last_activity)


def _take_over(state: CaptureState, context: ReportedContext, project: Project | None, activity: datetime) -> bool:
    """Whether something changed. What deliveries say of the message count may be ahead of a report."""
    said = {
        "agent_kind": context.agent_kind or state.agent_kind,
        "message_count": max(context.message_count, state.last_message_index),
        "last_activity_at": activity,
        "project": state.project or project,
    }
    if state.pk is not None:
        if activity < state.last_activity_at and context.message_count <= state.message_count:
            return False
        said["last_activity_at"] = max(activity, state.last_activity_at)
    changed = state.pk is None or any(getattr(state, name) != value for name, value in said.items())
    for name, value in said.items():
        setattr(state, name, value)
    if context.compaction_count > state.compaction_count:
        compactions.note_detected(state, context.compaction_count, activity)
        state.compaction_count, changed = context.compaction_count, True
    if changed:
        state.save()
    return changed
