"""Storing of what the observers find."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from memoryserver.reported_times import credible
from obslog.emit import emit
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine import assessment as assessments
from trajectory.local.engine.assessment import SEVERITIES, Assessment
from trajectory.models import AssessmentRecord, Trajectory


def store(
    trajectory: Trajectory,
    before: dict[str, Assessment],
    after: dict[str, Assessment],
    news: Sequence[Assessment],
    call: ToolCallRecord,
) -> None:
    """Update the stored findings to the open assessments after `call`."""
    reported = {(assessment.observer_name, assessment.identity) for assessment in news}
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        same = old is not None and new is not None and old.identity == new.identity
        if old is not None and not same:
            trajectory.findings.filter(observer=key[:100], ended_at_call=None).update(ended_at_call=call.call_index)
        if new is None or (same and old == new and (new.observer_name, new.identity) not in reported):
            continue
        row = trajectory.findings.filter(observer=key[:100], ended_at_call=None).first() if same else None
        worse = row is None or SEVERITIES.index(new.severity) > SEVERITIES.index(row.severity)
        is_told = (new.observer_name, new.identity) in reported
        row = row or _new_finding(trajectory, key, new, call)
        row.severity, row.summary, row.body = new.severity, new.summary, assessments.to_row(new)
        if not row.moments:
            row.note(row.began_at_call, "noticed")
        if is_told:
            row.note(call.call_index, "told")
        row.save()
        if worse and new.severity != "info":
            _emit(row, call.call_index, is_told=is_told)


def _new_finding(trajectory: Trajectory, key: str, assessment: Assessment, call: ToolCallRecord) -> AssessmentRecord:
    return AssessmentRecord(
        user=trajectory.user,
        project=trajectory.project,
        trajectory=trajectory,
        observer=key[:100],
        identity=assessment.identity[:400],
        began_at_call=call.call_index,
        began_at=credible(call.timestamp, timezone.now()),
    )


def _emit(row: AssessmentRecord, call_index: int, *, is_told: bool) -> None:
    trajectory = row.trajectory
    emit(
        row.user,
        type=f"trajectory.{row.severity}",
        source="system:trajectory",
        message=f"{row.observer} {'told the agent of' if is_told else 'noticed'} a {row.severity} at call {call_index}",
        data={
            "began_at_call": row.began_at_call,
            "at_call": call_index,
            "told": is_told,
            "observer": row.observer,
            "agent_id": trajectory.agent_id,
        },
        scope_ids=[trajectory.session_id],
        project=row.project_id,
    )
