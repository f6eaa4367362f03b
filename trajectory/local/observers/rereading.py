"""Rereading: the same files are read for the third and fourth time, and nothing was changed in between."""

from __future__ import annotations

from memoryserver.common.light import dataclass
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_calls, numbers
from trajectory.local.observers.finding import finding, nothing

_LATEST = 10  # calls, of which half must bring nothing new


@dataclass(frozen=True)
class Rereading:
    """Notice that several things were looked at `view_threshold` times each, with the same result.

    Only calls since the last change count: what was changed may be looked at again. Also, at least half of the latest
    ten calls must have been made before with the same result, so that nothing was learned from them. One thing
    that is looked at again and again is RepeatCall's. Raises ValueError for thresholds below 1 or never met.
    """

    window_size: int = 50
    view_threshold: int = 3
    minimum_targets: int = 2

    def __post_init__(self) -> None:
        window.positive(self, "window_size", "view_threshold", "minimum_targets")
        window.at_most(self, window.KEPT, "window_size")
        window.at_most(self, self.window_size, "minimum_targets", reason="the window_size")
        views = self.window_size // self.minimum_targets
        window.at_most(self, views, "view_threshold", reason="the views of minimum_targets things in the window_size")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Read Again"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether the latest call looked at something that was looked at before."""
        latest = session[ToolCallRecord].latest()
        return latest is not None and latest.looks and latest.repeats > 1

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report what was looked at again and again since the last change."""
        records = window.recent(context, self.window_size)
        changed = [position for position, record in enumerate(records) if record.changes]
        records = records[changed[-1] + 1 :] if changed else records
        groups: dict[tuple[str, str, str], list[ToolCallRecord]] = {}
        for record in records:
            if record.args_hash and record.result_key:
                groups.setdefault((record.tool_name, record.args_hash, record.result_key), []).append(record)
        views = [
            group for group in groups.values() if group[-1].looks and window.decisions(group) >= self.view_threshold
        ]
        members = sorted((record for group in views for record in group), key=lambda record: record.call_index)
        known = sum(len(group) for group in _known_among(records[-_LATEST:], groups))
        if len(views) < self.minimum_targets or 2 * known < _LATEST or not window.goes_on(members, records):
            return nothing(self.name, context)
        return self._report(views, members, context)

    def _report(
        self, views: list[list[ToolCallRecord]], members: list[ToolCallRecord], context: ObserverContext
    ) -> Assessment:
        fewest = min(window.decisions(group) for group in views)
        shown = ", ".join(code(group[-1].params_summary.removeprefix("path=")[:60]) for group in views[:3])
        return finding(
            self.name,
            context,
            category="Read Again",
            summary=f"{len(views)} things were looked at {fewest} times or more, unchanged: {shown}.",
            description=f"Calls {numbers(members)} gave what earlier ones had given, and nothing was changed since.",
            evidence=cite_calls(members),
            suggestions=[
                "Write down what you know from them and what is missing, and make the change that it leads to.",
                "If a search is not specific enough, search for the name that decides the matter.",
            ],
            severity="caution",
            identity="known results",
            calls=members,
        )


def _known_among(
    latest: list[ToolCallRecord], groups: dict[tuple[str, str, str], list[ToolCallRecord]]
) -> list[list[ToolCallRecord]]:
    """Return, for each group, those of the `latest` calls that were made before with the same result."""
    first = latest[0].call_index if latest else 0
    return [[record for record in group[1:] if record.call_index >= first] for group in groups.values()]
