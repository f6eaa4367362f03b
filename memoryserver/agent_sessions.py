"""What belongs to one session of an agent: apps that do not know each other register it here.

An agent's session is known by its owner and the agent's id for it. Journal entries and learnings name it, and so do its
tool calls, so that the page of a session shows what came out of it, and an entry links to its session.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.contrib.auth.models import AnonymousUser

from memoryserver.accounts.models import User

Viewer = User | AnonymousUser


@dataclass(frozen=True)
class Item:
    """Something that came out of a session: an entry lasts from `start` to `end`, a learning has one moment, `start`.

    `state` is how it ended (of an entry) or its type (of a learning); `page` is its URL.
    """

    kind: Literal["entry", "learning"]
    title: str
    state: str
    page: str
    start: datetime
    end: datetime | None = None


Source = Callable[[Viewer, User, str], Sequence[Item]]
"""Returns the items of a session (its owner and id) that the viewer may see, in their order."""

Finder = Callable[[Viewer, Collection[tuple[int, str]]], Mapping[tuple[int, str], str]]
"""Returns the URLs of the pages of sessions, by their owner's primary key and their id, that the viewer may see."""

_sources: dict[str, Source] = {}
_finders: list[Finder] = []


def register(name: str, source: Source) -> None:
    """Add the items of an app; registering a name again replaces it."""
    _sources[name] = source


def register_pages(finder: Finder) -> None:
    """Let `finder` say where the pages of sessions are."""
    _finders[:] = [finder]


def items(viewer: Viewer, owner: User, session_id: str) -> Sequence[Item]:
    """Return what came out of the session, in the order of time; nothing without an id."""
    if not session_id:
        return []
    unsorted = [item for name in sorted(_sources) for item in _sources[name](viewer, owner, session_id)]
    return sorted(unsorted, key=lambda item: item.start)


def page_of(viewer: Viewer, owner: User, session_id: str) -> str:
    """Return the URL of the session's page, "" if it has none that the viewer may see."""
    return pages_of(viewer, [(owner.pk, session_id)]).get((owner.pk, session_id), "")


def pages_of(viewer: Viewer, sessions: Collection[tuple[int, str]]) -> Mapping[tuple[int, str], str]:
    """Return the URLs of those of `sessions`, by the owner's primary key and the id, that the viewer may see."""
    named = [(owner, session_id) for owner, session_id in sessions if session_id]
    return _finders[0](viewer, named) if _finders and named else {}
