"""Registry of the home page's parts: each app registers its own, so that this package depends on none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from memoryserver.home.scope import PageScope

Column = Literal["left", "right"]


@dataclass(frozen=True)
class Health:
    """One part of the health line: whether it works, and in words how it is; `page` is where the cure is, or ""."""

    good: bool
    text: str
    page: str = ""


@dataclass(frozen=True)
class Tile:
    """A figure: its title, the value, a note that gives it a meaning (such as its n), and a value for each of 12 weeks.

    `page` is the URL of the rows behind it. A week without data has None.
    """

    title: str
    value: str
    note: str
    weeks: Sequence[float | None]
    page: str


@dataclass(frozen=True)
class Line:
    """A line of a card as the weekly mail has it, with the URL of what it names, or ""."""

    text: str
    page: str = ""


@dataclass(frozen=True)
class Card:
    """A list or a chart: `template` renders it with `context`; `page` is the URL of all of it, or "".

    `lines` say the same in the weekly mail; a card without lines is left out there.
    """

    title: str
    column: Column
    template: str
    context: Mapping[str, Any]
    page: str = ""
    lines: Sequence[Line] = ()


JOIN = "{join}"
"""A step's command that stands for the line by which a laptop joins this server."""


@dataclass(frozen=True)
class Step:
    """A step of setting up: what to do, the command for it (or JOIN), and whether it was done."""

    text: str
    command: str
    done: bool


def _nothing(scope: PageScope) -> Sequence[Any]:
    return []


@dataclass(frozen=True)
class Part:
    """What an app shows on the home page, in the order of `position`; each function takes the scope of the page.

    The page keeps `tiles` and `figures` for a moment (see `memoryserver.home.figures`): they are of counts alone, and
    name no row that may be gone or hidden by then. `cards` are as of now.
    """

    name: str
    position: int
    health: Callable[[PageScope], Sequence[Health]] = field(default=_nothing)
    tiles: Callable[[PageScope], Sequence[Tile]] = field(default=_nothing)
    cards: Callable[[PageScope], Sequence[Card]] = field(default=_nothing)
    figures: Callable[[PageScope], Sequence[Card]] = field(default=_nothing)
    steps: Callable[[PageScope], Sequence[Step]] = field(default=_nothing)


_PARTS: dict[str, Part] = {}


def register(part: Part) -> None:
    """Register `part` under its name."""
    _PARTS[part.name] = part


def all_parts() -> Sequence[Part]:
    """Return the registered parts in the order of their position."""
    return sorted(_PARTS.values(), key=lambda part: part.position)
