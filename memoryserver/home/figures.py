"""Figures of pages that are kept for a moment: they count all that a user may see, which takes time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from django.core.cache import cache
from django.utils import timezone

from memoryserver import __version__
from memoryserver.home.parts import Card, Part, Step, Tile
from memoryserver.home.scope import PageScope

T = TypeVar("T")

KEPT_SECONDS = 60
"""How old figures may be; the page says so."""


@dataclass(frozen=True)
class Figures:
    """The tiles of a part, and those of its cards that are made of counts alone."""

    tiles: Sequence[Tile]
    cards: Sequence[Card]


def figures_of(parts: Sequence[Part], scope: PageScope) -> Sequence[Figures]:
    """Return the figures of each of `parts` of the home page, at most KEPT_SECONDS old."""
    name = " ".join(["home", *(part.name for part in parts)])
    return kept(name, scope, lambda: [Figures(list(part.tiles(scope)), list(part.figures(scope))) for part in parts])


def steps_of(parts: Sequence[Part], scope: PageScope) -> Sequence[Step]:
    """Return the steps of `parts`; once all are done, as of at most KEPT_SECONDS ago."""
    return kept(
        " ".join(["steps", *(part.name for part in parts)]),
        scope,
        lambda: [step for part in parts for step in part.steps(scope)],
        worth=lambda steps: all(step.done for step in steps),
    )


def kept(name: str, scope: PageScope, compute: Callable[[], T], *, worth: Callable[[T], bool] = lambda _: True) -> T:
    """Return what `compute` returned for `name` at most KEPT_SECONDS ago; each user and scope has their own.

    It must return counts alone, or the keys of rows that are looked up again, since a row may be hidden or gone by
    then; and never None. What is not `worth` it, since it is quickly counted again, is not kept.
    """
    key = _key(name, scope)
    known: T | None = cache.get(key)
    if known is None:
        known = compute()
        if worth(known):
            cache.set(key, known, KEPT_SECONDS)
    return known


def _key(name: str, scope: PageScope) -> str:
    """Return the key; with the version, as a new one may not read what an old one kept, and the zone of days."""
    zone = timezone.get_current_timezone_name()
    text = repr((__version__, name, scope.user.pk, scope.team, scope.project, scope.days, scope.until, zone))
    return f"figures-{sha256(text.encode()).hexdigest()}"
