"""The strip of a session: all its calls as bars in their order, and where findings began and were told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from trajectory.local import outcome
from trajectory.models import Trajectory

WIDTH, HEIGHT = 1000, 46
MOST_BARS = 200
_LOW = 22  # the height of a bar without a failed call
_GAP = 0.15  # the share of a bar's place that stays free


@dataclass(frozen=True)
class Bar:
    """The calls from `first` to `last`; it is taller the more of them failed. Coordinates are those of the view box."""

    x: float
    y: float
    width: float
    height: float
    first: int
    last: int
    failed: int


@dataclass(frozen=True)
class Mark:
    """Where a finding began, or where the agent was told."""

    x: float
    what: Literal["noticed", "told"]
    call: int
    summary: str


@dataclass(frozen=True)
class Strip:
    """The bars of a session's calls in their order, the marks, and how many calls failed."""

    bars: Sequence[Bar]
    marks: Sequence[Mark]
    failed: int


def strip_of(trajectory: Trajectory) -> Strip:
    """Return the strip of all calls of `trajectory`, at most MOST_BARS bars of as many calls each."""
    calls = list(trajectory.calls.order_by("call_index").values_list("call_index", "outcome"))
    failed = {number for number, result in calls if result not in outcome.SUCCESSES}
    numbers = [number for number, _ in calls]
    together = -(-len(numbers) // MOST_BARS) or 1
    groups = [numbers[first : first + together] for first in range(0, len(numbers), together)]
    slot = WIDTH / max(len(groups), 1)
    bars = [_bar(position * slot, slot, group, failed) for position, group in enumerate(groups)]
    place = {number: position * slot for position, group in enumerate(groups) for number in group}
    return Strip(bars, _marks(trajectory, place), len(failed))


def _bar(x: float, slot: float, group: Sequence[int], failed: set[int]) -> Bar:
    count = sum(number in failed for number in group)
    height = _LOW + (HEIGHT - _LOW) * count / len(group)
    return Bar(x, HEIGHT - height, slot * (1 - _GAP), height, group[0], group[-1], count)


def _marks(trajectory: Trajectory, place: dict[int, float]) -> Sequence[Mark]:
    marks = []
    for began, told, summary in trajectory.findings.values_list("began_at_call", "told_at_call", "summary"):
        if began in place:
            marks.append(Mark(place[began], "noticed", began, summary))
        if told is not None and told in place:
            marks.append(Mark(place[told], "told", told, summary))
    return sorted(marks, key=lambda mark: (mark.x, mark.what))
