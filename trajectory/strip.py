"""The strip of a session: its calls as bars on a time scale, what was found, and what came out of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from typing import Literal, NamedTuple

from django.db.models import Count, F, Q
from django.utils.safestring import SafeString, mark_safe

from memoryserver.agent_sessions import Item
from trajectory.local import outcome
from trajectory.models import ToolCall, Trajectory

WIDTH, HEIGHT = 1000, 46
MOST_BARS = 200
MOST_CALLS = 20_000  # the latest, of a longer session
LONGEST_PAUSE = 120.0  # seconds; a longer one takes no more room
SHOWN_PAUSE = 600.0  # and from here on it is marked
MINI_BARS = 24
TOLD_Y, BAND_Y, DOT_Y = 60, 74, 92
_LOW = 22  # the height of a bar without a failed call
_WIDEST = 40
_GAP = 0.15  # the share of a bar's place that stays free


class Bar(NamedTuple):
    """The calls from `first` to `last`; it is taller the more of them failed. Coordinates are those of the view box."""

    x: float
    y: float
    width: float
    height: float
    first: int
    last: int
    failed: int

    def drawn(self) -> SafeString:
        """Return the bar in SVG, as a link to its last call. A template takes ten times as long, and there are many."""
        if self.first == self.last:
            name, title = f"call {self.first}", f"#{self.first}{' failed' if self.failed else ''}"
        else:
            name, title = f"calls {self.first} to {self.last}", f"#{self.first} to #{self.last}, {self.failed} failed"
        told, kind = (f", {self.failed} failed", 'class="failed" ') if self.failed else ("", "")
        rect = f'x="{self.x:.1f}" y="{self.y:.1f}" width="{self.width:.1f}" height="{self.height:.1f}"'
        return mark_safe(  # noqa: S308 - of numbers
            f'<a href="?at={self.last}#c{self.last}" aria-label="{name}{told}">'
            f"<rect {kind}{rect}><title>{title}</title></rect></a>"
        )


@dataclass(frozen=True)
class Mark:
    """Where a finding began, where the agent was told, where its context was compacted, or a long pause."""

    x: float
    what: Literal["noticed", "told", "compacted", "pause"]
    call: int
    summary: str


@dataclass(frozen=True)
class Place:
    """Where an item lies: an entry from `x` on for `width`, a learning at `x`."""

    x: float
    width: float
    item: Item


@dataclass(frozen=True)
class Strip:
    """The bars of a session's calls, the marks, the entries and learnings, and how many calls failed."""

    bars: Sequence[Bar]
    marks: Sequence[Mark]
    failed: int
    entries: Sequence[Place] = ()
    learnings: Sequence[Place] = ()

    @property
    def drawing(self) -> SafeString:
        """The bars in SVG."""
        return mark_safe("".join(bar.drawn() for bar in self.bars))  # noqa: S308 - each is safe

    @property
    def height(self) -> int:
        """The height of the view box: the lanes of entries and learnings are only there if there are any."""
        if self.learnings:
            return DOT_Y + 8
        return BAND_Y + 12 if self.entries else TOLD_Y + 10


@dataclass(frozen=True)
class TimeScale:
    """The places of moments: in proportion to time, but a pause takes no more room than LONGEST_PAUSE.

    Calls of the same second are a second apart, so that each can be seen.
    """

    moments: Sequence[datetime]
    places: Sequence[float] = field(init=False)

    def __post_init__(self) -> None:
        """Place the moments, which are in their order."""
        active = [0.0]
        for before, after in zip(self.moments, self.moments[1:], strict=False):
            active.append(active[-1] + min(max((after - before).total_seconds(), 1.0), LONGEST_PAUSE))
        whole = active[-1] + 1.0  # the last call lasts as well
        object.__setattr__(self, "places", [WIDTH * seconds / whole for seconds in active])

    def of(self, moment: datetime) -> float:
        """Return the place of any moment; one before the first or after the last call lies at the end."""
        if not self.moments:
            return 0.0
        after = bisect_right(self.moments, moment)
        if after == 0:
            return 0.0
        if after == len(self.moments):
            return self.places[-1] if moment == self.moments[-1] else float(WIDTH)
        seconds = (moment - self.moments[after - 1]).total_seconds()
        length = (self.moments[after] - self.moments[after - 1]).total_seconds()
        share = seconds / length if length else 0.0
        return self.places[after - 1] + share * (self.places[after] - self.places[after - 1])


def strip_of(trajectory: Trajectory, items: Iterable[Item] = ()) -> Strip:
    """Return the strip of the calls of `trajectory`, at most MOST_BARS bars of as many calls each, with `items`."""
    columns = ("call_index", "outcome", "made_at", "body__compactions")
    calls = list(trajectory.calls.order_by("-call_index").values_list(*columns)[:MOST_CALLS])[::-1]
    scale = TimeScale(list(accumulate((made_at for _, _, made_at, _ in calls), max)))
    failed = {number for number, result, _, _ in calls if result not in outcome.SUCCESSES}
    place = {number: x for (number, *_), x in zip(calls, scale.places, strict=False)}
    marks = [*_marks(trajectory, place), *_turns(calls, scale)]
    entries = [_band(scale, item) for item in items if item.kind == "entry"]
    learnings = [Place(scale.of(item.start), 0, item) for item in items if item.kind == "learning"]
    marks.sort(key=lambda mark: (mark.x, mark.what))
    return Strip(_bars(place, failed), marks, len(failed), entries, learnings)


def mini_strips(trajectories: Sequence[Trajectory]) -> dict[int, Sequence[Bar]]:
    """Return a strip of MINI_BARS bars for each of `trajectories`, by primary key; one query for all."""
    rows = (
        ToolCall.objects.filter(trajectory__in=trajectories, trajectory__calls_made__gt=0)
        .annotate(place=(F("call_index") - 1) * MINI_BARS / F("trajectory__calls_made"))  # of integers, cut
        .order_by("trajectory", "place")
        .values_list("trajectory", "place")
        .annotate(calls=Count("pk"), failed=Count("pk", filter=~Q(outcome__in=outcome.SUCCESSES)))
    )
    strips: dict[int, list[Bar]] = {row.pk: [] for row in trajectories}
    slot = WIDTH / MINI_BARS
    for key, place, calls, failed in rows:
        height = _height(failed, calls)
        strips[key].append(Bar(place * slot, HEIGHT - height, slot * (1 - _GAP), height, place, place, failed))
    return dict(strips)


def outline(bars: Iterable[Bar]) -> str:
    """Return `bars` as one path, the "d" of an SVG path; "" without bars.

    A list of sessions has a thousand bars, and an element for each would be most of the time that the page takes.
    """
    return "".join(f"M{bar.x:.0f} {bar.y:.1f}h{bar.width:.0f}v{bar.height:.1f}h-{bar.width:.0f}z" for bar in bars)


def _bars(place: dict[int, float], failed: set[int]) -> Sequence[Bar]:
    numbers = list(place)
    if not numbers:
        return []
    together = -(-len(numbers) // MOST_BARS) or 1
    groups = [numbers[first : first + together] for first in range(0, len(numbers), together)]
    # The last call is as wide as the others: it may end beyond WIDTH, for which the pages leave a margin.
    ends = [place[group[0]] for group in groups[1:]] + [max(float(WIDTH), place[groups[-1][0]] + _WIDEST)]
    return [_bar(place[group[0]], end, group, failed) for group, end in zip(groups, ends, strict=True)]


def _bar(x: float, end: float, group: Sequence[int], failed: set[int]) -> Bar:
    count = sum(number in failed for number in group)
    height = _height(count, len(group))
    return Bar(x, HEIGHT - height, min((end - x) * (1 - _GAP), _WIDEST), height, group[0], group[-1], count)


def _height(failed: int, calls: int) -> float:
    return _LOW + (HEIGHT - _LOW) * failed / calls


def _band(scale: TimeScale, item: Item) -> Place:
    start = scale.of(item.start)
    return Place(start, max(scale.of(item.end or item.start) - start, 6.0), item)


def _marks(trajectory: Trajectory, place: dict[int, float]) -> Iterable[Mark]:
    for finding in trajectory.all_findings:
        for moment in finding.history():
            if moment.call in place:
                yield Mark(place[moment.call], moment.what, moment.call, moment.summary)


def _turns(calls: Sequence[tuple[int, str, datetime, int | None]], scale: TimeScale) -> Iterable[Mark]:
    """Yield where the context was compacted, and long pauses, each at the call after it."""
    for position in range(1, len(calls)):
        number, _, moment, compactions = calls[position]
        _, _, before, earlier = calls[position - 1]
        if (compactions or 0) > (earlier or 0):
            yield Mark(scale.places[position], "compacted", number, "the agent's context was compacted")
        pause = (moment - before).total_seconds()
        if pause >= SHOWN_PAUSE:
            yield Mark(scale.places[position], "pause", number, f"{round(pause / 60)} minutes without a call")
