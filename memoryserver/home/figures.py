"""The tiles and charts of the home page, kept for a moment: they count all that a user may see, which takes time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.core.cache import cache

from memoryserver import __version__
from memoryserver.home.parts import Card, Part, Tile
from memoryserver.home.scope import PageScope

KEPT_SECONDS = 60
"""How old figures may be; the page says so."""


@dataclass(frozen=True)
class Figures:
    """The tiles of a part, and those of its cards that are made of counts alone."""

    tiles: Sequence[Tile]
    cards: Sequence[Card]


def figures_of(parts: Sequence[Part], scope: PageScope) -> Sequence[Figures]:
    """Return the figures of each of `parts`, at most KEPT_SECONDS old. Each user and scope has their own."""
    key = _key(parts, scope)
    kept: Sequence[Figures] | None = cache.get(key)
    if kept is None:
        kept = [Figures(list(part.tiles(scope)), list(part.figures(scope))) for part in parts]
        cache.set(key, kept, KEPT_SECONDS)
    return kept


def _key(parts: Sequence[Part], scope: PageScope) -> str:
    """Return the key; with the version, as a new one may not read what an old one kept."""
    names = [part.name for part in parts]
    text = repr((__version__, scope.user.pk, scope.team, scope.project, scope.days, names))
    return f"home-{sha256(text.encode()).hexdigest()}"
