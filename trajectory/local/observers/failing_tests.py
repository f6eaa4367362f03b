"""TestTrend: failing tests that do not get fewer."""

from __future__ import annotations

from itertools import pairwise

from memoryserver.common.light import dataclass
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_results, numbers
from trajectory.local.observers.finding import finding, nothing

_LOOK_BACK = 80  # calls
_OVER_AFTER = 12
_RISES = 3


@dataclass(frozen=True)
class TestTrend:
    """Notice that the last `run_threshold` runs left the same tests failing and no fewer, or ever more.

    Runs of one command are compared, and only those between which something was changed: running red tests
    again tells nothing new. Falling numbers are progress. Raises ValueError for a threshold below 2 or never met.
    """

    __test__ = False  # not a test, in spite of its name

    run_threshold: int = 4

    def __post_init__(self) -> None:
        window.positive(self, "run_threshold")
        if self.run_threshold < 2:
            raise ValueError(
                f"run_threshold must be at least 2, there is no trend in one run, not {self.run_threshold!r}"
            )
        window.at_most(self, _LOOK_BACK // 2, "run_threshold", reason="the runs that are looked at")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Test Trend"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether the latest call reports failing tests."""
        latest = session[ToolCallRecord].latest()
        return latest is not None and bool(latest.failures)

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the trend of the latest command that ran tests."""
        records = window.recent(context, _LOOK_BACK)
        runs = runs_of_latest(records)[-self.run_threshold :]
        if not window.goes_on(runs, records, within=_OVER_AFTER) or not runs[-1].failures:
            return nothing(self.name, context)
        counts = [run.failures or 0 for run in runs]
        if len(runs) > _RISES and all(earlier < later for earlier, later in pairwise(counts)):
            return self._report(runs, counts, "rise", context)
        same_tests = len({run.failing for run in runs}) == 1 and runs[-1].failing
        not_fewer = all(earlier <= later for earlier, later in pairwise(counts))
        if len(runs) == self.run_threshold and same_tests and not_fewer:
            return self._report(runs, counts, "do not fall", context)
        return nothing(self.name, context)

    def _report(
        self, runs: list[ToolCallRecord], counts: list[int], trend: str, context: ObserverContext
    ) -> Assessment:
        shown = " → ".join(map(str, counts))
        which = "the same tests fail" if trend == "do not fall" else "each change broke more than it fixed"
        return finding(
            self.name,
            context,
            category="Test Trend",
            summary=f"The failures {trend}: {shown} over {len(runs)} runs, each after a change.",
            description=f"In runs {numbers(runs)} {which}.",
            evidence=cite_results(runs),
            suggestions=[
                "Take one failing test, run it alone, and follow it to its cause before the next change.",
                "If the last changes made it worse, go back to the state with the fewest failures.",
            ],
            severity="caution",
            identity=f"{trend} {runs[-1].args_hash}",
            calls=runs,
        )


def runs_of_latest(records: list[ToolCallRecord]) -> list[ToolCallRecord]:
    """Return the reports of the latest command that reported, oldest first, with a change before each but the first."""
    latest = next((record for record in reversed(records) if record.failures is not None), None)
    if latest is None:
        return []
    runs: list[ToolCallRecord] = []
    changed = True
    for record in records:
        changed = changed or record.changes
        same = (record.tool_name, record.args_hash) == (latest.tool_name, latest.args_hash)
        if same and record.failures is not None and changed:
            runs.append(record)
            changed = False
    return runs


def falling(records: list[ToolCallRecord]) -> bool:
    """Return whether fewer tests failed in the latest run than in the one before, which is progress."""
    counts = [run.failures or 0 for run in runs_of_latest(records)[-2:]]
    return len(counts) == 2 and counts[1] < counts[0]
