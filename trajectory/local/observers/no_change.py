"""NoChange: much reading, and nothing is changed."""

from __future__ import annotations

from collections import Counter

from memoryserver.common.light import dataclass
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, Severity, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_calls
from trajectory.local.observers.finding import finding, nothing

_LOOK_BACK = 128  # calls
_MOST = _LOOK_BACK - 8  # of them after a change: it runs at each eighth


@dataclass(frozen=True)
class NoChange:
    """Notice a long stretch of calls that only read, where the task wants changes, and one file read page by page.

    Whether it wants them is said by `wants_changes`; with None it does once the agent has changed something, so a
    question or a review is never nagged. Runs of unknown programs neither count nor end the stretch. Raises
    ValueError for thresholds below 1 or never met.
    """

    info_threshold: int = 25
    caution_threshold: int = 40
    page_threshold: int = 30
    wants_changes: bool | None = None

    def __post_init__(self) -> None:
        window.positive(self, "info_threshold", "caution_threshold", "page_threshold")
        names = ("info_threshold", "caution_threshold", "page_threshold")
        window.at_most(self, _MOST, *names, reason="the calls after a change that are looked at")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "No Change"

    @property
    def least_calls(self) -> int:
        """Return how many calls there must be."""
        return min(self._lowest, self.page_threshold)

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether there are enough calls."""
        return len(context.recent_tool_calls(self.least_calls)) == self.least_calls

    @property
    def _lowest(self) -> int:
        return min(self.info_threshold, self.caution_threshold)

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the stretch since the last change."""
        records = window.recent(context, _LOOK_BACK)
        changed = [position for position, record in enumerate(records) if record.changes]
        stretch = records[changed[-1] + 1 :] if changed else records
        reads = [record for record in stretch if record.looks]
        paged = self._paged(reads)
        if paged:
            return paged_finding(self.name, paged, context)
        applies = bool(changed) if self.wants_changes is None else self.wants_changes
        if not applies or len(reads) < self._lowest or not window.goes_on(reads, records):
            return nothing(self.name, context)
        severity: Severity = "caution" if len(reads) >= self.caution_threshold else "info"
        return self._report(reads, severity, context, since_change=bool(changed))

    def _paged(self, reads: list[ToolCallRecord]) -> list[ToolCallRecord]:
        """Return the reads of the latest file if there are so many of them."""
        path = next((record.paths[0] for record in reversed(reads) if record.paths), None)
        of_path = [record for record in reads if path is not None and path in record.paths]
        enough = window.decisions(of_path) >= self.page_threshold and window.goes_on(of_path, reads)
        return of_path if enough else []

    def _report(
        self, reads: list[ToolCallRecord], severity: Severity, context: ObserverContext, *, since_change: bool
    ) -> Assessment:
        minutes = (reads[-1].timestamp - reads[0].timestamp).total_seconds() / 60
        twice = [path for path, n in Counter(path for record in reads for path in record.paths).most_common(3) if n > 1]
        before = f"The last change lies before call #{reads[0].call_index}." if since_change else ""
        again = f" Read more than once: {', '.join(map(code, twice))}." if twice else ""
        return finding(
            self.name,
            context,
            category="No Change",
            summary=f"{len(reads)} calls in {minutes:.0f} minutes have only read; no change was seen.",
            description=f"{before}{again}".strip(),
            evidence=cite_calls(reads),
            suggestions=[
                "Write down what you know by now, and make the smallest change that would test it.",
                "If something is still missing, name it, and look for that alone.",
            ],
            severity=severity,
            identity="only reading",
            calls=reads,
        )


def paged_finding(name: str, reads: list[ToolCallRecord], context: ObserverContext) -> Assessment:
    """Return the finding about one file that is read bit by bit."""
    path = reads[-1].paths[0]
    return finding(
        name,
        context,
        category="Paging",
        summary=f"{code(path)} was read {window.decisions(reads)} times without a change.",
        evidence=cite_calls(reads),
        suggestions=[
            "Search the file for what you need instead of reading it in pieces.",
            "If you need all of it, read it in few large pieces, or have a program work on it.",
        ],
        severity="caution",
        identity=path,
        calls=reads,
    )
