"""Registry of a context's sections: each app registers its own, so that this package depends on none of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoryserver.accounts.models import User

PINNED = 2.0
"""The weight of a line that a person has pinned."""


@dataclass(frozen=True)
class Line:
    """One line and its weight: from 0 to 1 by how useful it is to a session, PINNED for what must be included.

    `key` is the section's own name for it. `why` says on one line why it is there, or is not; `page` is the URL of its
    page, `document` the id by which it can be read, `number` the short one that the text of a context has behind the
    line. Each is "" if there is none.
    """

    text: str
    weight: float
    key: str = ""
    why: str = ""
    page: str = ""
    document: str = ""
    number: str = ""


def _nothing() -> Sequence[Line]:
    return []


@dataclass(frozen=True)
class Offer:
    """The lines of a section that may enter a context, at most some dozens.

    `left_out` returns what the section knows of and does not offer. It is called where somebody looks at that, after
    `lines` were found, so that what both need is found once.
    """

    lines: Sequence[Line]
    left_out: Callable[[], Sequence[Line]] = _nothing


@dataclass(frozen=True)
class Section:
    """Lines of one kind under `title`.

    `offer` takes a user and a project's key and returns what the user may see. The texts are raw: the caller that
    quotes them must make them safe.
    """

    name: str
    title: str
    offer: Callable[[User, str], Offer]


_sections: dict[str, Section] = {}


def register(section: Section) -> None:
    """Register `section`; it replaces one of the same name."""
    _sections[section.name] = section


def all_sections() -> list[Section]:
    """Return every section, in the order registered."""
    return list(_sections.values())
