"""Poll: asking again and again whether something is done."""

from __future__ import annotations

from memoryserver.common.light import dataclass
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_results
from trajectory.local.observers.finding import finding, nothing

_LOOK_BACK = 40  # calls


@dataclass(frozen=True)
class Poll:
    """Notice a wait that is made of many calls, each with the same answer; never more than a caution.

    With `budget_seconds`, the time that the agent has, also one that has taken more than `budget_share` of it.
    Waiting is right, only the many calls are not: it is never told to vary them. Raises ValueError for thresholds
    that are not above zero or never met.
    """

    poll_threshold: int = 10
    budget_seconds: float | None = None
    budget_share: float = 0.25

    def __post_init__(self) -> None:
        window.positive(self, "poll_threshold", "budget_share")
        if self.budget_seconds is not None:
            window.positive(self, "budget_seconds")
        window.at_most(self, _LOOK_BACK, "poll_threshold", reason="the calls that are looked at")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Polling"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether the latest call waits for something."""
        latest = session[ToolCallRecord].latest()
        return latest is not None and latest.polls

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the wait that the latest calls are part of."""
        records = window.recent(context, _LOOK_BACK)
        polls = self._latest_run(records)
        if not polls or not window.goes_on(polls, records):
            return nothing(self.name, context)
        waited = (polls[-1].timestamp - polls[0].timestamp).total_seconds()
        too_long = self.budget_seconds is not None and waited > self.budget_share * self.budget_seconds
        if window.decisions(polls) < self.poll_threshold and not (too_long and len(polls) > 2):
            return nothing(self.name, context)
        return self._report(polls, waited, context)

    def _latest_run(self, records: list[ToolCallRecord]) -> list[ToolCallRecord]:
        """Return the newest calls of one poll for as long as its answer stayed the same, oldest first."""
        latest = next((record for record in reversed(records) if record.polls), None)
        run: list[ToolCallRecord] = []
        for record in reversed(records):
            if record.changes and not record.polls and run:
                break  # what was asked before the change was another question
            if latest is None or (record.tool_name, record.args_hash) != (latest.tool_name, latest.args_hash):
                continue
            if record.result_key != latest.result_key:
                break
            run.append(record)
        return run[::-1]

    def _report(self, polls: list[ToolCallRecord], waited: float, context: ObserverContext) -> Assessment:
        latest = polls[-1]
        times = window.decisions(polls)
        return finding(
            self.name,
            context,
            category="Polling",
            summary=f"{code(latest.tool_name)} was asked {times} times in {waited:.0f} s, always with the same answer.",
            description=f"First at {polls[0].timestamp:%H:%M:%S}, last at {latest.timestamp:%H:%M:%S} UTC.",
            evidence=cite_results(polls),
            suggestions=[
                "Make one blocking wait with a timeout instead, such as a single command that ends when the work does.",
                "If it is late, look once at the log or the process of what you wait for.",
            ],
            severity="caution",
            identity=f"{latest.tool_name} {latest.args_hash}",
            calls=polls,
        )
