"""What a context is made of: each app registers its sections, so that the context knows none of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoryserver.accounts.models import User

PINNED = 2.0
"""The weight of what a person wants told before all else."""


@dataclass(frozen=True)
class Line:
    """One thing to be told, and its weight: from 0 to 1 by how much it helps a session, PINNED for what must be in."""

    text: str
    weight: float


@dataclass(frozen=True)
class Section:
    """Lines of one kind under `title`.

    `lines` gives those of a project, named by its key, that a user may see, at most some dozens. The texts are as they
    were found: whoever quotes them makes them safe.
    """

    name: str
    title: str
    lines: Callable[[User, str], Sequence[Line]]


_sections: dict[str, Section] = {}


def register(section: Section) -> None:
    """Let contexts have `section`; again under the same name replaces it."""
    _sections[section.name] = section


def all_sections() -> list[Section]:
    """Every section, in the order registered."""
    return list(_sections.values())
