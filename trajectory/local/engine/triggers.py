"""The configuration of an observer: when it runs and where its findings are written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime

from memoryserver.common import text
from memoryserver.common.light import dataclass, field
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.context import TrajectoryObserver
from trajectory.local.engine.progress import ObserverProgress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # for type checkers alone; importing `typing` costs a hook 3 ms

ASSESSMENT_PATH = ".wink/trajectory/assessment.md"


@dataclass(frozen=True)
class ObserverTrigger:
    """Conditions that trigger observer execution; any one that is met suffices, without any it never runs.

    Raises ValueError for a threshold of zero, below zero, or of another kind than a number.
    """

    every_n_calls: int | None = None
    after_consecutive_errors: int | None = None  # once for each streak that gets so long
    every_n_seconds: float | None = None  # from the session's first call, then from the last assessment
    on_every_call: bool = False
    after_repeats: int | None = None  # a call, result, error or state that was there so often in the last 30 calls
    file_created: str | None = None  # once, when the file appears; relative to the project
    while_told: bool = False  # at every call while a finding is open of which the agent was notified

    def __post_init__(self) -> None:
        for name in ("every_n_calls", "after_consecutive_errors", "after_repeats"):
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            if value is not None and not (whole and value >= 1):
                raise ValueError(f"{name} must be a whole number of at least 1, or None, not {value!r}")
        seconds = self.every_n_seconds
        number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (number and math.isfinite(seconds) and seconds > 0):
            raise ValueError(f"every_n_seconds must be a number above 0, or None, not {seconds!r}")
        for name in ("on_every_call", "while_told"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, not {getattr(self, name)!r}")  # noqa: TRY004
        if self.file_created is not None and not is_path_within(self.file_created):
            raise ValueError(f"file_created must be a file below the project, without `..`, not {self.file_created!r}")

    def is_met(self, progress: ObserverProgress, call: ToolCallRecord, started: datetime, moment: datetime) -> bool:
        """Return whether the observer is due after `call`, by its own memory alone."""
        since = call.call_index - progress.last_assessment_call_index
        return (
            self.on_every_call
            or (self.every_n_calls is not None and since >= self.every_n_calls)
            or (self.after_repeats is not None and call.repeats >= self.after_repeats)
            or (self.errors_reached(call) and call.streak_from != progress.answered_streak)
            or self._time_is_up(progress.last_assessment_time or started, moment)
        )

    def errors_reached(self, call: ToolCallRecord) -> bool:
        """Return whether the streak of failures is as long as `after_consecutive_errors` asks."""
        return self.after_consecutive_errors is not None and call.streak >= self.after_consecutive_errors

    def _time_is_up(self, since: datetime, moment: datetime) -> bool:
        if self.every_n_seconds is None:
            return False
        elapsed = (moment - since).total_seconds()
        # A clock that was set back would else silence the observer for as long as it was set back.
        return elapsed >= self.every_n_seconds or elapsed < 0


def is_path_within(path: object) -> bool:
    """Return whether `path` names a file below the project, on every system."""
    if not isinstance(path, str) or not path or text.printable(path) != path or "\n" in path:
        return False
    parts = path.replace("\\", "/").split("/")
    return ".." not in parts and "" not in parts and ":" not in parts[0]


@dataclass(frozen=True)
class ObserverConfig:
    """Configuration for a trajectory observer.

    `output_path` is relative to the project; several configs may share it. With `tell` unset a finding is
    written there, but not put before the agent. Raises ValueError for a path that leaves the project and for
    an observer without a name.
    """

    observer: TrajectoryObserver
    trigger: ObserverTrigger
    output_path: str = ASSESSMENT_PATH
    tell: bool = True
    name: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        path = self.output_path
        if not is_path_within(path):
            raise ValueError(f"output_path must be a file below the project, without `..`, not {path!r}")
        name = self.observer.name
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"an observer needs a name, a text that is not empty, not {name!r}")
        object.__setattr__(self, "name", name)


def keyed(configs: Iterable[ObserverConfig]) -> list[tuple[str, ObserverConfig]]:
    """Return each config with the key of its memory: its observer's name, numbered where several share it."""
    seen: dict[str, int] = {}
    pairs = []
    for config in configs:
        name = text.shorten(text.one_line(config.name), 100)
        seen[name] = seen.get(name, 0) + 1
        pairs.append((name if seen[name] == 1 else f"{name} #{seen[name]}", config))
    return pairs


class Prompt(Protocol):
    """An object that declares the observers of an agent."""

    @property
    def observers(self) -> Sequence[ObserverConfig]:
        """Return the configs, in the order in which their findings are written."""
