"""Aligned columns, cut at the terminal's width; a Chinese character takes two columns, a combining mark none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memorycli.rendering import terminal
from memoryserver.common.columns import columns_of, fitting
from memoryserver.common.text import one_line, printable

_GAP = 2  # columns between two cells
_LEAST = 8  # columns that a cell keeps when others need room

Painter = Callable[[int, str], str]


def table(
    rows: Sequence[Sequence[object]],
    *,
    width: int | None = None,
    keeps: Sequence[int] = (),
    paint: Painter | None = None,
) -> Iterator[str]:
    """Yield `rows` as lines with aligned columns.

    They are cut at `width`, by default the terminal's; what is not a terminal gets them whole, for other programs. The
    widest cells are cut first, those of the columns `keeps` last. `paint` adds colours to a cell by its column.
    """
    cells = [[one_line(printable(str(value))) for value in row] for row in rows]
    if width is None:
        width = terminal.width() if terminal.is_terminal() else 0
    widths = [max(map(columns_of, column), default=0) for column in zip(*cells, strict=True)]
    if width:
        _shrink(widths, width - _GAP * (len(widths) - 1), keeps)
    for row in cells:
        yield _line(row, widths, paint)


def _shrink(widths: list[int], room: int, keeps: Sequence[int]) -> None:
    """Make the columns narrower until they fit into `room`, the widest first; `keeps` only if the others cannot."""
    for least, movable in ((_LEAST, [n for n in range(len(widths)) if n not in keeps]), (1, list(range(len(widths))))):
        while sum(widths) > room:
            widest = max((n for n in movable if widths[n] > least), key=widths.__getitem__, default=None)
            if widest is None:
                break
            widths[widest] -= 1


def _line(row: Sequence[str], widths: Sequence[int], paint: Painter | None) -> str:
    last = len(row) - 1
    parts = []
    for column, (cell, room) in enumerate(zip(row, widths, strict=True)):
        shown = fitting(cell, room) if room else ""
        padding = "" if column == last else " " * (room - columns_of(shown) + _GAP)
        parts.append((paint(column, shown) if paint else shown) + padding)
    return "".join(parts).rstrip()
