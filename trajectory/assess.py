"""Has the observers look at the calls of a trajectory on the server, and keeps what they find."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from django.utils import timezone

from obslog.emit import emit
from trajectory import configs
from trajectory.local.calls import record as records
from trajectory.local.engine import assessment as assessments
from trajectory.local.engine import context_section, state_file
from trajectory.local.engine.assessment import SEVERITIES, Assessment
from trajectory.local.engine.replay import NoFiles
from trajectory.local.engine.runner import run_observers
from trajectory.local.engine.session import RecordToolCall, Session
from trajectory.models import AssessmentRecord, Trajectory

logger = logging.getLogger(__name__)

WINDOW = 128  # calls that observers can look back on
SECONDS_AT_ONCE = 2.0  # in a request; the job goes on from there
_STRETCH = 500  # calls loaded at a time


def look(trajectory: Trajectory, *, seconds: float = SECONDS_AT_ONCE) -> str:
    """Let the observers see the calls they have not seen, for about `seconds`; what to tell the agent, or "".

    `trajectory` is locked by the caller and saved here, with how far they came. Told is only what is news at the
    very last call: what was news before it comes too late.
    """
    deadline = time.monotonic() + seconds
    observers = configs.observers(trajectory.user, trajectory.project)
    session = _session(trajectory)
    failures = _failures(session)
    news: tuple[Assessment, ...] = ()
    files = NoFiles()
    unseen = trajectory.calls.filter(call_index__gt=trajectory.observed_through).order_by("call_index")
    for row in unseen[:_STRETCH]:
        record = records.from_row(row.body)
        session.dispatch(RecordToolCall(record))
        before = _standing(session)
        news = run_observers(session, observers, files, now=record.timestamp)
        _keep(trajectory, before, _standing(session), news, record)
        trajectory.observed_through = row.call_index
        if time.monotonic() > deadline:
            break
    _report(session, failures)
    _save(trajectory, session)
    return context_section.context_for(news) if trajectory.observed_through == trajectory.calls_made else ""


def render(trajectory: Trajectory) -> str:
    """What stands, as the Markdown of an assessment file; "" where nothing does."""
    standing = [assessments.from_row(row.body) for row in standing_of(trajectory)]
    return assessments.render_all(standing, timezone.now()) if standing else ""


def standing_of(trajectory: Trajectory) -> Sequence[AssessmentRecord]:
    """The findings whose pattern has not broken, the worst first."""
    found = trajectory.findings.filter(ended_at_call=None)
    return sorted(found, key=lambda row: (-SEVERITIES.index(row.severity), row.pk))


def _session(trajectory: Trajectory) -> Session:
    session = Session()
    seen = trajectory.calls.filter(call_index__lte=trajectory.observed_through).order_by("-call_index")[:WINDOW]
    for row in reversed(seen):
        session.dispatch(RecordToolCall(records.from_row(row.body)))
    state_file.put_into(session, trajectory.memory)
    return session


def _standing(session: Session) -> dict[str, Assessment]:
    return {key: one.standing for key, one in session.progress.items() if one.standing}


def _keep(
    trajectory: Trajectory,
    before: dict[str, Assessment],
    after: dict[str, Assessment],
    news: Sequence[Assessment],
    call: records.ToolCallRecord,
) -> None:
    """Bring the kept findings to what stands after `call`."""
    told = {(found.observer_name, found.identity) for found in news}
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        same = old is not None and new is not None and old.identity == new.identity
        if old is not None and not same:
            trajectory.findings.filter(observer=key[:100], ended_at_call=None).update(ended_at_call=call.call_index)
        if new is None or (same and old == new and (new.observer_name, new.identity) not in told):
            continue
        row = trajectory.findings.filter(observer=key[:100], ended_at_call=None).first() if same else None
        worse = row is None or SEVERITIES.index(new.severity) > SEVERITIES.index(row.severity)
        row = row or _begun(trajectory, key, new, call)
        row.severity, row.summary, row.body = new.severity, new.summary, assessments.to_row(new)
        if (new.observer_name, new.identity) in told:
            row.told_at_call = call.call_index
        row.save()
        if worse and new.severity != "info":
            _tell(row)


def _begun(trajectory: Trajectory, key: str, found: Assessment, call: records.ToolCallRecord) -> AssessmentRecord:
    return AssessmentRecord(
        user=trajectory.user,
        project=trajectory.project,
        trajectory=trajectory,
        observer=key[:100],
        identity=found.identity[:400],
        began_at_call=call.call_index,
        began_at=call.timestamp,
    )


def _tell(row: AssessmentRecord) -> None:
    trajectory = row.trajectory
    emit(
        row.user,
        type=f"trajectory.{row.severity}",
        source="system:trajectory",
        message=f"{row.observer}: {row.summary}",
        data={"began_at_call": row.began_at_call, "observer": row.observer, "agent_id": trajectory.agent_id},
        scope_ids=[trajectory.session_id],
    )


def _save(trajectory: Trajectory, session: Session) -> None:
    trajectory.memory = state_file.to_row(session) | {"written": {}}
    standing = (found.severity for found in _standing(session).values())
    trajectory.worst = assessments.worst(standing) if _standing(session) else ""
    trajectory.save()


def _failures(session: Session) -> int:
    return sum(one.failures for one in session.progress.values())


def _report(session: Session, before: int) -> None:
    """An observer that raised or was slow was passed over; the log says so."""
    if _failures(session) > before:
        for key, one in session.progress.items():
            if one.failures_in_a_row:
                logger.warning("observer failed", extra={"observer": key, "reason": one.last_failure})
