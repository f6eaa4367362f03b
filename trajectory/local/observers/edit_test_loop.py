"""EditTestLoop: edit, run, fail as before; edit, run, fail as before."""

from __future__ import annotations

from itertools import pairwise

from memoryserver.common.light import dataclass
from trajectory.local.calls import summary
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_results, numbers, result_of
from trajectory.local.observers.finding import finding, nothing

_MAX_PATH = 40  # characters
_OVER_AFTER = 8  # calls: what is read and edited between two runs


@dataclass(frozen=True)
class EditTestLoop:
    """Notice a test, build or script that fails with the same output however the code is edited in between.

    Only the latest runs count, up to the first that came out differently: another output is progress. Raises
    ValueError for thresholds below 1 or never met.
    """

    window_size: int = 20
    run_threshold: int = 3

    def __post_init__(self) -> None:
        window.positive(self, "window_size", "run_threshold")
        window.at_most(self, window.KEPT, "window_size")
        runs = (self.window_size + 1) // 2
        window.at_most(self, runs, "run_threshold", reason="the runs with edits between them in the window_size")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Edit-Test Loop"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether there are enough calls."""
        return len(context.recent_tool_calls(2 * self.run_threshold - 1)) == 2 * self.run_threshold - 1

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the check that failed alike most often."""
        records = window.recent(context, self.window_size)
        loops = [runs for runs in _same_runs(records) if self._loops(runs, records)]
        if not loops:
            return nothing(self.name, context)
        return self._report(max(loops, key=len), records, context)

    def _loops(self, runs: list[ToolCallRecord], records: list[ToolCallRecord]) -> bool:
        if len(runs) < self.run_threshold or not window.goes_on(runs, records, within=_OVER_AFTER):
            return False
        gaps = [window.between(earlier, later, records) for earlier, later in pairwise(runs)]
        edited = sum(any(map(_is_edit, gap)) for gap in gaps)
        return edited >= self.run_threshold - 1

    def _report(
        self, runs: list[ToolCallRecord], records: list[ToolCallRecord], context: ObserverContext
    ) -> Assessment:
        latest = runs[-1]
        edits = [
            record
            for record in records
            if _is_edit(record) and runs[0].call_index < record.call_index < latest.call_index
        ]
        paths = sorted({path for edit in edits for path in edit.paths})
        shown = ", ".join(code(_end_of(path)) for path in paths[:3]) or "what it depends on"
        failing = f", {latest.failures} failing" if latest.failures else ""
        return finding(
            self.name,
            context,
            category="Edit-Test Loop",
            summary=f"The same check failed {len(runs)} times with the same output{failing} despite edits.",
            description=f"Runs {numbers(runs)} ended with: {result_of(latest)} - edits in between: {numbers(edits)}.",
            evidence=cite_results(runs),
            suggestions=[
                f"The edits to {shown} did not change what fails: make sure that the code you edit is what runs.",
                "Before the next edit, print or debug what the check really does, and state what output you expect.",
            ],
            severity="warning" if len(runs) >= 2 * self.run_threshold else "caution",
            identity=f"{latest.tool_name} {latest.args_hash}",
            calls=runs,
        )


def _end_of(path: str) -> str:
    return path if len(path) <= _MAX_PATH else f"…/{'/'.join(path.split('/')[-2:])}"[:_MAX_PATH]


def _same_runs(records: list[ToolCallRecord]) -> list[list[ToolCallRecord]]:
    """For each check, its latest runs that failed alike, oldest first, one of each batch."""
    runs: dict[tuple[str, str], list[ToolCallRecord]] = {}
    for record in records:
        if not _is_check(record):
            continue
        same = runs.setdefault((record.tool_name, record.args_hash), [])
        if same and same[-1].result_key != record.result_key:
            same.clear()
        if record.went_wrong and not (same and same[-1].decision == record.decision):
            same.append(record)
        elif not record.went_wrong:
            same.clear()
    return list(runs.values())


def _is_check(record: ToolCallRecord) -> bool:
    runs = record.kind in (summary.COMMAND, summary.OTHER, "")
    return runs and not record.polls and not record.looks and bool(record.args_hash and record.result_key)


def _is_edit(record: ToolCallRecord) -> bool:
    return record.changes or record.kind == summary.WRITE
