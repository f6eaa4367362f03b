"""Ignored: the agent was notified of a finding and continues as before."""

from __future__ import annotations

from memoryserver.common.light import dataclass
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import MAX_CALLS, Assessment
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.progress import ObserverProgress
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_calls, numbers
from trajectory.local.observers.finding import finding, nothing

_LOOK_BACK = 60  # calls
_ABOUT_CHANGES = frozenset({"Edit-Test Loop", "Edit Thrash", "Edits Without Effect", "Test Trend", "Drift Detector"})


@dataclass(frozen=True)
class Ignored:
    """Report a finding that continued for `call_threshold` calls after the agent was notified of it.

    A notice for the person who supervises the agent: it raises the severity of the open findings and closes no
    gate. Meant to run with a trigger of `while_told`, after the other observers. Raises ValueError for a threshold
    below 1 or never met.
    """

    call_threshold: int = 3

    def __post_init__(self) -> None:
        window.positive(self, "call_threshold")
        window.at_most(self, MAX_CALLS, "call_threshold", reason="the calls that a finding names")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Ignored Feedback"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether a finding is open of which the agent was notified."""
        return any(memory.agent_was_notified() for memory in session.progress.values())

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the finding that continued longest after the notification."""
        ignored = [
            (key, memory, calls)
            for key, memory in session.progress.items()
            if key != self.name and len(calls := _calls_since(key, memory, context)) >= self.call_threshold
        ]
        if not ignored:
            return nothing(self.name, context)
        key, memory, calls = max(ignored, key=lambda entry: len(entry[2]))
        return finding(
            self.name,
            context,
            category="Ignored Feedback",
            summary=f"{key}: the agent was told at call #{memory.told_since} and has gone on for {len(calls)} calls.",
            description=f"Calls {numbers(calls)} continue what was reported to it.",
            evidence=cite_calls(calls),
            suggestions=["Look at this session: the agent does not find its way out by itself."],
            severity="warning",
            identity=f"{key} {memory.told_identity}",
            calls=calls,
        )


def _calls_since(key: str, memory: ObserverProgress, context: ObserverContext) -> list[ToolCallRecord]:
    """Return the calls of an open finding that were made after the agent was notified of it.

    None after its context was compacted: the message is lost. An agent that has changed something since then tries
    another way; unless changes are what the finding is about, only the calls after the last change are counted.
    """
    if memory.standing is None or not memory.agent_was_notified():
        return []
    records = [record for record in context.recent_tool_calls(_LOOK_BACK) if record.call_index >= memory.told_since]
    if len({record.compactions for record in records}) > 1:
        return []
    records = [record for record in records if record.call_index > memory.told_since]
    members = set(memory.standing.calls)
    if key not in _ABOUT_CHANGES:
        changes = [record.call_index for record in records if record.changes and record.call_index not in members]
        records = [record for record in records if record.call_index > max(changes, default=0)]
    return [record for record in records if record.call_index in members]
