"""Geometry of the charts that templates draw as SVG. All coordinates are in the units of the chart's view box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SPARK_WIDTH, SPARK_HEIGHT = 120, 26
_MARGIN = 3


@dataclass(frozen=True)
class Bar:
    """A piece of a stacked bar: its place, and what it stands for."""

    name: str
    x: float
    y: float
    width: float
    height: float
    count: int


@dataclass(frozen=True)
class Spark:
    """The points of two polylines that fill SPARK_WIDTH x SPARK_HEIGHT: what is over, and from there to the present.

    `numbers` are the values as a text, "none" for one that is missing.
    """

    over: str
    present: str
    numbers: str

    def __bool__(self) -> bool:
        """Return whether there is any line."""
        return bool(self.over or self.present)


def spark(values: Sequence[float | None]) -> Spark:
    """Return the lines through `values`, of which the last one is not over yet; None is left out.

    Fewer than two values are no line. Equal values lie on a line in the middle.
    """
    known = [value for value in values if value is not None]
    numbers = ", ".join("none" if value is None else f"{value:.1f}".removesuffix(".0") for value in values)
    if len(known) < 2:
        return Spark("", "", numbers)
    low, high = min(known), max(known)
    step = SPARK_WIDTH / (len(values) - 1)
    usable = SPARK_HEIGHT - 2 * _MARGIN
    points = []
    for position, value in enumerate(values):
        if value is not None:
            share = (value - low) / (high - low) if high > low else 0.5
            points.append(f"{position * step:.1f},{SPARK_HEIGHT - _MARGIN - share * usable:.1f}")
    if values[-1] is None:
        return Spark(" ".join(points), "", numbers)
    return Spark(" ".join(points[:-1]) if len(points) > 2 else "", " ".join(points[-2:]), numbers)


def stacked_bars(
    columns: Sequence[Sequence[tuple[str, int]]], *, width: float, height: float, gap: float = 0.25
) -> Sequence[Sequence[Bar]]:
    """Return the bars of each column, stacked from below; the largest column is `height` high.

    A column has its pieces as (name, count); `gap` is the share of a column's width that stays free.
    """
    largest = max((sum(count for _, count in column) for column in columns), default=0)
    slot = width / max(len(columns), 1)
    result = []
    for position, column in enumerate(columns):
        bars, below = [], 0.0
        for name, count in column:
            size = height * count / largest if largest else 0.0
            below += size
            bars.append(Bar(name, position * slot + slot * gap / 2, height - below, slot * (1 - gap), size, count))
        result.append(bars)
    return result
