"""Registry of the apps whose documents answers have, so that this package depends on none of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date

from memoryserver.accounts.models import User
from memoryserver.inquiries.models import Inquiry


@dataclass(frozen=True)
class Documents:
    """The documents of one app, by their ids, such as `learnings/12`; ids of other apps' documents are ignored.

    `count` is called with the ids of what an answer had, once that reached somebody, and with the day (UTC) on which it
    did; contexts of one day may be taken together. `visible` returns those that a user may see.
    """

    count: Callable[[Inquiry.Kind, Sequence[str], date], None]
    visible: Callable[[User, Collection[str]], set[str]]


_apps: dict[str, Documents] = {}


def register(name: str, documents: Documents) -> None:
    """Register the documents of the app `name`; they replace those registered before."""
    _apps[name] = documents


def count(kind: Inquiry.Kind, ids: Sequence[str], day: date) -> None:
    """Have each app count its documents among `ids`."""
    for app in _apps.values():
        app.count(kind, ids, day)


def visible(user: User, ids: Collection[str]) -> set[str]:
    """Return those of `ids` that are documents which `user` may see."""
    return set().union(*(app.visible(user, ids) for app in _apps.values()))
