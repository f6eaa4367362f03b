"""What a configuration of the observers would have told in the latest sessions: they run over the stored calls again.

Nothing is stored. It runs in a request, so the sessions, the calls of each and the time are limited.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from memoryserver.accounts.models import Project, Team, User
from trajectory import configs, sessions
from trajectory.configs import Scope
from trajectory.local.calls import record as records
from trajectory.local.config import schema
from trajectory.local.engine.runner import run_observers
from trajectory.local.engine.session import RecordToolCall, Session
from trajectory.local.engine.triggers import ObserverConfig
from trajectory.local.replay import MemoryFilesystem
from trajectory.models import AssessmentRecord, Trajectory

SESSIONS = 50
CALLS = 300  # the latest of each session
SECONDS = 4.0
SHOWN = 60  # messages


@dataclass(frozen=True)
class Message:
    """What the agent would have been told after the call `call` of `session`."""

    session: Trajectory
    call: int
    observer: str
    severity: str
    summary: str


@dataclass(frozen=True)
class Preview:
    """The first SHOWN messages, the latest session first, and how many there are in how many of `sessions` sessions.

    `told` is how often a finding by the same calls was really reported to an agent, in `with_told` of these sessions.
    `stopped` says that the time was up before SESSIONS.
    """

    messages: Sequence[Message]
    total: int
    with_messages: int
    sessions: int
    told: int
    with_told: int
    stopped: bool


def preview(user: User, scope: Scope, body: Mapping[str, Any], *, seconds: float = SECONDS) -> Preview:
    """Return what `body` as the configuration of `scope` would have told in the latest sessions that `user` may see."""
    deadline = time.monotonic() + seconds
    messages: list[Message] = []
    looked_at: list[Trajectory] = []
    chosen: dict[tuple[int, int | None], tuple[ObserverConfig, ...]] = {}
    latest = list(sessions.visible(user).filter(_in(scope), calls_made__gt=0)[:SESSIONS])
    for row in latest:
        if time.monotonic() > deadline:
            break
        key = (row.user_id, row.project_id)
        if key not in chosen:
            chosen[key] = schema.parse(schema.usable(configs.body_with(row.user, row.project, scope, body))[0])
        messages += _messages(row, chosen[key])
        looked_at.append(row)
    reports = _told(looked_at)
    return Preview(
        messages=messages[:SHOWN],
        total=len(messages),
        with_messages=len({message.session.pk for message in messages}),
        sessions=len(looked_at),
        told=len(reports),
        with_told=len(set(reports)),
        stopped=len(looked_at) < len(latest),
    )


def _in(scope: Scope) -> Q:
    """Return the condition of sessions for which the configuration of `scope` is in effect, in some part at least."""
    if isinstance(scope, Project):
        return Q(project=scope)
    return Q(project__team=scope) if isinstance(scope, Team) else Q(user=scope)


def _told(rows: Sequence[Trajectory]) -> Sequence[int]:
    """Return the session of each report of a finding to an agent, at the calls that a preview looks at."""
    before = {row.pk: row.calls_made - CALLS for row in rows}
    findings = AssessmentRecord.objects.filter(trajectory__in=rows).exclude(told_at_call=None).defer("body")
    return [each.trajectory_id for each in findings for call in each.told_at if call > before[each.trajectory_id]]


def _messages(row: Trajectory, observers: Sequence[ObserverConfig]) -> list[Message]:
    session, files = Session(), MemoryFilesystem()
    messages = []
    for call in reversed(row.calls.order_by("-call_index")[:CALLS]):
        record = records.from_row(call.body)
        session.dispatch(RecordToolCall(record))
        findings = run_observers(session, observers, files, now=record.timestamp)
        messages += [
            Message(row, call.call_index, finding.observer_name, finding.severity, finding.summary)
            for finding in findings
        ]
    return messages
