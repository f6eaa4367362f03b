"""Registry of the page's sections: each app registers its own, so that this package depends on none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Section:
    """A part of the page: `template` renders what `context` returns, under the name `section`."""

    name: str
    title: str
    template: str
    context: Callable[[], Mapping[str, Any]]


_SECTIONS: dict[str, Section] = {}


def register(section: Section) -> None:
    """Register `section` under its name; it replaces one of the same name."""
    _SECTIONS[section.name] = section


def all_sections() -> Sequence[Section]:
    """Return the registered sections, in the order registered."""
    return list(_SECTIONS.values())
