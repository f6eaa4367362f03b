"""What the agent was notified of, and what is worth a second message."""

from __future__ import annotations

from collections.abc import Mapping

from memoryserver.common.light import replace
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment
from trajectory.local.engine.session import Session

REMIND_AFTER = 3  # calls of a finding after the agent was notified of it


def record(session: Session, call: ToolCallRecord, findings: Mapping[str, Assessment]) -> None:
    """Record that the agent is notified of `findings`, by the key of their observer, in the answer to `call`."""
    for key, finding in findings.items():
        session.progress[key] = session.progress[key].after_notifying(finding, call.call_index)
    if findings:
        session.notifications = session.notifications.after(findings.values(), call.call_index, call.turn)


def reminders(session: Session) -> dict[str, Assessment]:
    """Return the findings that went on for three calls after the agent was notified, by the key of their observer.

    Each is returned once: it is worth a second message where something is known about it.
    """
    due = {}
    for key, memory in session.progress.items():
        if memory.standing is None or memory.reminded or not memory.agent_was_notified():
            continue
        if sum(number > memory.told_since for number in memory.standing.calls) >= REMIND_AFTER:
            due[key] = memory.standing
            session.progress[key] = replace(memory, reminded=True)
    return due
