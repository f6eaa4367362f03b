"""Registry of the apps whose documents answers have, so that this package depends on none of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from memoryserver.accounts.models import User
from memoryserver.inquiries.models import Inquiry


def _count_none(kind: Inquiry.Kind, ids: Sequence[str], day: date) -> None:
    """Do nothing: the use of these documents is not counted."""


@dataclass(frozen=True)
class Documents:
    """The documents of one app, by their ids, such as `learnings/12`; ids of other apps' documents are ignored.

    `pages` returns the address of the page of each that a user may see. `count` is called with the ids of what an
    answer had, once that reached somebody, and with the day (UTC) on which it did; contexts of one day may be taken
    together.
    """

    pages: Callable[[User, Collection[str]], Mapping[str, str]]
    count: Callable[[Inquiry.Kind, Sequence[str], date], None] = _count_none


_apps: dict[str, Documents] = {}


def register(name: str, documents: Documents) -> None:
    """Register the documents of the app `name`; they replace those registered before."""
    _apps[name] = documents


def count(kind: Inquiry.Kind, ids: Sequence[str], day: date) -> None:
    """Have each app count its documents among `ids`."""
    for app in _apps.values():
        app.count(kind, ids, day)


def pages(user: User, ids: Collection[str]) -> dict[str, str]:
    """Return the address of the page of each of `ids` that is a document which `user` may see."""
    return {name: page for app in _apps.values() for name, page in app.pages(user, ids).items()}
