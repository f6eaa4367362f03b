"""DriftDetector: work on files that have nothing to do with the task."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import PurePosixPath

from memoryserver.common import test_paths
from memoryserver.common.light import dataclass
from trajectory.local.calls import summary
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, Observation
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window

_LOOK_BACK = 200  # calls, to find the last writes among
_MAX_CITED = 10
_TEST_WORDS = ("test", "spec")


@dataclass(frozen=True)
class DriftDetector:
    """Detect when agent drifts from the original task scope.

    `initial_paths` are the paths that the task mentions: a file brings in its folder, a folder itself; a
    file in the project's root brings in only itself. Written files count, read ones do not, and the tests of
    a file in scope are in scope. Without initial paths there is no drift. `root` is the project's folder,
    needed only to compare absolute paths with relative ones. Raises ValueError for a threshold that can never be met.
    """

    initial_paths: frozenset[str]
    drift_threshold: float = 0.7
    root: str = ""
    window_size: int = 10  # writes
    minimum_files: int = 3

    def __post_init__(self) -> None:
        window.at_most(self, window.KEPT, "window_size")
        window.at_most(self, self.window_size, "minimum_files", reason="the window_size")
        window.at_most(self, 1, "drift_threshold", reason="all writes")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Drift Detector"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether there is a scope, and ten calls have passed since it last ran."""
        return bool(self.initial_paths) and context.observer_state.tool_calls_since_assessment >= 10

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report when most of the last writes, to several files, lie outside the scope."""
        written = self._recently_written(session)
        if not written or not self.initial_paths:
            return self._nothing(context, "No file operations in recent activity.")
        unrelated = [path for path in written if not self._is_related(path)]
        ratio = len(unrelated) / len(written)
        outside = sorted(set(unrelated))
        if ratio < self.drift_threshold or len(outside) < self.minimum_files:
            return self._nothing(context, f"Activity appears focused ({1 - ratio:.0%} of files are task-related).")
        return Assessment(
            observer_name=self.name,
            summary=f"{ratio:.0%} of recent file operations are outside the original task scope.",
            observations=(
                Observation(
                    category="Scope Drift",
                    description="Recent work includes files unrelated to the original task.",
                    evidence="\n".join(outside[:_MAX_CITED]),
                ),
            ),
            suggestions=(
                "Verify these files are necessary for the task.",
                "If scope has legitimately expanded, this may be fine.",
                "If not, refocus on the original objective.",
            ),
            severity="caution",
            timestamp=context.now,
        )

    def _nothing(self, context: ObserverContext, reason: str) -> Assessment:
        return Assessment(observer_name=self.name, summary=reason, timestamp=context.now)

    def _recently_written(self, session: Session) -> list[str]:
        """Return the path of each of the last writes, newest first; a file written twice counts twice."""
        latest = session[ToolCallRecord].latest()
        looked_at = islice(session[ToolCallRecord].newest_first(), _LOOK_BACK)
        of_turn = (record for record in looked_at if latest and record.turn == latest.turn and record.success)
        writes = (path for record in of_turn for path in self._written_by(record))
        return list(islice(writes, self.window_size))

    def _written_by(self, record: ToolCallRecord) -> list[str]:
        kind = record.kind or summary.kind_of(record.tool_name)
        if kind != summary.WRITE:
            return []
        return [self._normal(path) for path in record.paths or _path_in(record.params_summary)]

    def _is_related(self, path: str) -> bool:
        """Return whether a normalised path lies in the scope, or tests a file that does."""
        initial = [PurePosixPath(self._normal(path_in_scope)) for path_in_scope in self.initial_paths]
        place = PurePosixPath(path)
        if any(place == scope or scope in place.parents for scope in map(_scope, initial)):
            return True
        return test_paths.is_test(path) and _tested(place) in {each.stem for each in initial}

    def _normal(self, path: str) -> str:
        return summary.relative(path, self.root, self.root)


def _scope(initial: PurePosixPath) -> PurePosixPath:
    """Return the folder that a path of the task stands for; the path itself for a folder or a file in the root."""
    top = initial.parent in (PurePosixPath("."), PurePosixPath("/"))
    return initial if top or not initial.suffix else initial.parent


def _path_in(params_summary: str) -> Iterable[str]:
    first = params_summary.partition(", ")[0]
    return [first.removeprefix("path=")] if first.startswith("path=") else []


def _tested(path: PurePosixPath) -> str:
    """Return the stem of the tested file: `config` for `test_config.py`, `config.spec.ts` and `config_test.go`."""
    stem = path.stem
    for word in _TEST_WORDS:
        for mark in ("_", ".", "-"):
            stem = stem.removeprefix(word + mark).removesuffix(mark + word)
    return stem
