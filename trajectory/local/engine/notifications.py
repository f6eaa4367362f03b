"""What the agent was notified of, and what is worth a second message."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memoryserver.common.light import replace
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine import context_section
from trajectory.local.engine.assessment import Assessment
from trajectory.local.engine.matters import Told, marks_of, told_of
from trajectory.local.engine.session import Session

REMIND_AFTER = 3  # calls of a finding after the agent was notified of it
_LOOK_BACK = 128  # calls, those that observers can see


def record(session: Session, call: ToolCallRecord, findings: Mapping[str, Assessment]) -> None:
    """Record that the agent is notified of `findings`, by the key of their observer, in the answer to `call`."""
    for key, finding in findings.items():
        session.progress[key] = session.progress[key].after_notifying(finding, call.call_index)
        session.notifications = session.notifications.after(_told(session, key, finding), call.call_index, call.turn)


def is_news(session: Session, key: str) -> bool:
    """Return whether the agent is to be notified of the open finding of the observer with that key, after this call."""
    call, finding = session[ToolCallRecord].latest(), session.progress[key].standing
    if call is None or finding is None or not session.progress[key].is_news(finding, call.call_index):
        return False
    state = session.notifications
    by_name = state.allows(Told(key, finding), call.call_index, call.turn)  # spares the marks where it says no
    return by_name and state.allows(_told(session, key, finding), call.call_index, call.turn)


def follow(session: Session, call: ToolCallRecord) -> None:
    """Count `call`, the latest, to the matters of which the agent was notified and whose findings it continues."""
    for key, memory in session.progress.items():
        finding = memory.standing
        if finding and memory.agent_was_notified() and finding.calls[-1:] == (call.call_index,):
            session.notifications = session.notifications.going_on(Told(key, finding, marks_of([call])))


def answer(
    session: Session, news: Sequence[Assessment], lookup: Callable[[Assessment], str]
) -> tuple[tuple[Assessment, ...], str]:
    """Return what the agent is notified of in the answer to the latest call, and the text about it, "" for nothing.

    That is `news`, or else a finding that goes on and of which `lookup` finds a line in what is known elsewhere, once
    for each finding. `lookup` is called for no other, so that it costs nothing where nothing is the matter.
    """
    call = session[ToolCallRecord].latest()
    for key, finding in _due_for_reminder(session).items():
        if news and finding not in news:
            continue  # there is room for one matter
        session.progress[key] = replace(session.progress[key], reminded=True)
        known = lookup(finding)
        if known and call:
            if not news:
                record(session, call, {key: finding})
            return tuple(news) or (finding,), context_section.context_for(news or (finding,), known)
    return tuple(news), context_section.context_for(news)


def _told(session: Session, key: str, finding: Assessment) -> Told:
    return told_of(key, finding, session[ToolCallRecord].last(_LOOK_BACK))


def _due_for_reminder(session: Session) -> dict[str, Assessment]:
    """Return the findings that went on for three calls after the agent was notified, by the key of their observer."""
    return {
        key: memory.standing
        for key, memory in session.progress.items()
        if memory.standing is not None
        and not memory.reminded
        and memory.agent_was_notified()
        and sum(number > memory.told_since for number in memory.standing.calls) >= REMIND_AFTER
    }
