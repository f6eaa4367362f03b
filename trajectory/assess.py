"""Running of the observers on a trajectory's calls on the server, and storing of their findings."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from memoryserver.common import clock
from memoryserver.common.light import replace
from trajectory import configs, known_here, stored, windows
from trajectory.calls import findings
from trajectory.local.calls import record as records
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine import assessment as assessments
from trajectory.local.engine import notifications, schedule, state_file, turns
from trajectory.local.engine.assessment import SEVERITIES, Assessment
from trajectory.local.engine.runner import run_observers
from trajectory.local.engine.session import RecordToolCall, Session
from trajectory.local.engine.triggers import ObserverConfig
from trajectory.local.replay import MemoryFilesystem
from trajectory.models import AssessmentRecord, ToolCall, Trajectory

logger = logging.getLogger(__name__)

_SECONDS_EACH = 20.0
SECONDS_AT_ONCE = 2.0  # in a request; the job goes on from there
_BATCH = 500  # calls loaded at a time
_TEXT, _ANSWERED, _PLAN = "answer", "answered", "plan"  # keys in the memory of a trajectory


def is_due(trajectory: Trajectory, call: ToolCall) -> bool:
    """Return whether the observers must be run after `call`, the next one that they have not seen.

    The plan that was made when they last ran says from what on one of them is due. A call of a session that has ended
    is due, which ends its findings, and so is one whose answer on the laptop notified the agent.
    """
    if trajectory.ended_at or call.notified:
        return True
    return schedule.is_due(trajectory.memory.get(_PLAN), call.body, now=_moment(call).timestamp())


def assess_pending() -> int:
    """Run the observers on all calls they have not seen and return the number of trajectories.

    Each batch has its own transaction, so a job that is killed loses only the last one.
    """
    pending = Trajectory.objects.exclude(observed_through=F("calls_made")).order_by("last_call_at")
    keys = list(pending.values_list("pk", flat=True))
    for key in keys:
        while _step(key):
            pass
    return len(keys)


def _step(key: int) -> bool:
    """Process one batch of one trajectory and return whether there is more."""
    with transaction.atomic():
        row = Trajectory.objects.select_for_update(skip_locked=True).filter(pk=key).first()
        if row is None or row.observed_through >= row.calls_made:
            return False
        before = row.observed_through
        run(row, seconds=_SECONDS_EACH)
        return before < row.observed_through < row.calls_made


def run(
    trajectory: Trajectory,
    *,
    seconds: float | None = None,
    in_answer: bool = False,
    calls: Sequence[ToolCall] | None = None,
) -> str:
    """Run the observers on the calls they have not seen, and return text for the agent, or "".

    It stops after about `seconds`, by default SECONDS_AT_ONCE.

    `trajectory` must be locked by the caller and is saved with the progress. `calls` are those, if the caller has
    them; by default they are read. With `in_answer` the caller answers the very last call with the text; no other call
    has an answer, so the agent is notified of nothing there, unless the laptop says that its hook did. Calls after
    which no observer is due (see `is_due`) only count.
    """
    deadline = time.monotonic() + (SECONDS_AT_ONCE if seconds is None else seconds)
    observers = configs.observers(trajectory.user, trajectory.project)
    session = _session(trajectory)
    failures = _failures(session)
    text = ""
    for row in _unseen(trajectory) if calls is None else calls:
        session.dispatch(RecordToolCall(records.from_row(row.body)))
        answered = in_answer and row.call_index == trajectory.calls_made
        text = _look(trajectory, session, observers, row, answered) if is_due(trajectory, row) else ""
        trajectory.observed_through = row.call_index
        if time.monotonic() > deadline:
            break
    _log_failures(session, failures)
    windows.cache(trajectory, session[ToolCallRecord].all())
    if trajectory.ended_at:
        _close(trajectory, session)
    _save(trajectory, session, text)
    return text


def run_quietly(
    trajectory: Trajectory, call: ToolCall, observers: Sequence[ObserverConfig]
) -> Sequence[ToolCallRecord] | None:
    """Run the observers on `call`, which none has seen, if that changes no finding and the agent is told nothing.

    Stores nothing: the caller saves the trajectory's `memory`, which is as `run` would leave it, and keeps the returned
    calls in `windows`. Returns None, and changes nothing, if it is for `run`.
    """
    session = _session(trajectory)
    failures = _failures(session)
    if _open_assessments(session):  # the agent may be reminded of one
        return None
    record = records.from_row(call.body)
    session.dispatch(RecordToolCall(record))
    news = run_observers(session, observers, MemoryFilesystem(), now=record.timestamp)
    if news or _open_assessments(session) or _failures(session) > failures:
        return None
    trajectory.observed_through = call.call_index
    trajectory.memory = _memory(trajectory, session, _plan(observers, session, record), "")
    return session[ToolCallRecord].all()


def _look(
    trajectory: Trajectory, session: Session, observers: Sequence[ObserverConfig], row: ToolCall, answered: bool
) -> str:
    """Run the observers after `row`, the session's latest call; return the text of its answer if it is `answered`."""
    record = records.from_row(row.body)
    before, text = _open_assessments(session), ""
    news = run_observers(session, observers, MemoryFilesystem(), now=record.timestamp, in_answer=answered)
    if answered:
        news, text = notifications.answer(session, news, lambda finding: _known_here(trajectory, finding))
    news = news or _notified_by_laptop(session, row.notified, record)
    findings.store(trajectory, before, _open_assessments(session), news, record)
    trajectory.memory[_PLAN] = _plan(observers, session, record)
    return text


def _unseen(trajectory: Trajectory) -> Iterable[ToolCall]:
    return trajectory.calls.filter(call_index__gt=trajectory.observed_through).order_by("call_index")[:_BATCH]


def text_of_latest_call(trajectory: Trajectory) -> str:
    """Return the text that the answer to the latest call contained, "" for none."""
    is_latest = trajectory.memory.get(_ANSWERED) == trajectory.calls_made
    return str(trajectory.memory.get(_TEXT, "")) if is_latest else ""


def render(trajectory: Trajectory) -> str:
    """Return the open findings as the Markdown of an assessment file; "" if there are none."""
    rows = [assessments.from_row(row.body) for row in open_findings(trajectory)]
    return assessments.render_all(rows, timezone.now()) if rows else ""


def open_findings(trajectory: Trajectory) -> Sequence[AssessmentRecord]:
    """Return the findings that are open, the worst first; none once the session has ended."""
    rows = [] if trajectory.end else trajectory.findings.filter(ended_at_call=None)
    return sorted(rows, key=_worst_first)


def ended_findings(trajectory: Trajectory) -> QuerySet[AssessmentRecord]:
    """Return the findings that have ended, by themselves or with the session."""
    return trajectory.findings.all() if trajectory.end else trajectory.findings.exclude(ended_at_call=None)


def worst_findings(trajectories: Iterable[Trajectory], *, bodies: bool = False) -> dict[int, AssessmentRecord]:
    """Return the worst finding of each trajectory that is open, or was when the session ended; one query.

    The keys are the trajectories' primary keys; those without such a finding are left out. The assessments themselves
    are read only with `bodies`: a list shows their summaries.
    """
    running = {trajectory.pk: trajectory.end is None for trajectory in trajectories}
    lasting = Q(ended_at_call=None) | Q(ended_with_session=True)
    left = ["moments"] if bodies else ["body", "moments"]
    rows = AssessmentRecord.objects.filter(lasting, trajectory__in=running).defer(*left)
    of_now = [row for row in rows if row.ended_at_call is None or not running[row.trajectory_id]]
    return {row.trajectory_id: row for row in sorted(of_now, key=_worst_first, reverse=True)}


def close(trajectory: Trajectory) -> None:
    """End the open findings with the session; `trajectory` must be locked by the caller and is saved."""
    session = _session(trajectory)
    _close(trajectory, session)
    _save(trajectory, session)


def _close(trajectory: Trajectory, session: Session) -> None:
    last = trajectory.observed_through
    turns.end_findings(session, last)
    trajectory.findings.filter(ended_at_call=None).update(ended_at_call=last, ended_with_session=True)


def _worst_first(row: AssessmentRecord) -> tuple[int, int]:
    return -SEVERITIES.index(row.severity), row.pk


def _session(trajectory: Trajectory) -> Session:
    session = Session()
    session[ToolCallRecord].seed(windows.before(trajectory))
    state_file.restore(session, trajectory.memory)
    return session


def _notified_by_laptop(
    session: Session, notified: Sequence[Sequence[str]], call: ToolCallRecord
) -> tuple[Assessment, ...]:
    """Record the open findings that the laptop's answer to `call` contained, and return them."""
    news = {}
    for key, identity in notified:
        progress = session.progress.get(key)
        if progress and progress.standing and progress.standing.identity[:400] == identity:
            news[key] = progress.standing
    notifications.record(session, call, news)
    return tuple(news.values())


def _open_assessments(session: Session) -> dict[str, Assessment]:
    return {key: progress.standing for key, progress in session.progress.items() if progress.standing}


def _known_here(trajectory: Trajectory, finding: Assessment) -> str:
    return known_here.about(finding, trajectory.user, trajectory.project)


def _save(trajectory: Trajectory, session: Session, text: str = "") -> None:
    """Save the observers' memory, and the text of the answer to the latest call, which may be asked for again."""
    trajectory.memory = _memory(trajectory, session, trajectory.memory.get(_PLAN), text)
    severities = [assessment.severity for assessment in _open_assessments(session).values()]
    trajectory.worst = assessments.worst(severities) if severities else ""
    stored.save(trajectory)


def _memory(trajectory: Trajectory, session: Session, plan: object, text: str) -> dict[str, Any]:
    answer = {_TEXT: text, _ANSWERED: trajectory.observed_through}
    return state_file.to_row(session) | {"written": {}, _PLAN: plan} | answer


def _plan(observers: Sequence[ObserverConfig], session: Session, record: ToolCallRecord) -> dict[str, object]:
    """Return when the next observer is due. No file of the laptop's project exists here, so none is waited for."""
    without_files = [
        replace(each, trigger=replace(each.trigger, file_created=None)) if each.trigger.file_created else each
        for each in observers
    ]
    return schedule.make(without_files, session, record.timestamp)


def _moment(call: ToolCall) -> datetime:
    """Return the time by which observers count: that of the record."""
    return clock.from_text(call.body["timestamp"])


def _failures(session: Session) -> int:
    return sum(progress.failures for progress in session.progress.values())


def _log_failures(session: Session, before: int) -> None:
    """Log observers that were skipped since they raised or were slow."""
    if _failures(session) > before:
        for key, progress in session.progress.items():
            if progress.failures_in_a_row:
                logger.warning("observer failed", extra={"observer": key, "reason": progress.last_failure})
