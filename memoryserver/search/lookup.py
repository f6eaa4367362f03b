"""What an id means: the entry, learning, observation or session that it names, whole or by its beginning.

Each app registers a finder, so that this package depends on none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from django.urls import Resolver404, resolve, reverse

from memoryserver.accounts.models import User
from memoryserver.common.text import clean, one_line
from memoryserver.errors import InvalidInputError

MAX_WORD = 300  # characters
MAX_MATCHES = 10


@dataclass(frozen=True)
class Match:
    """What an id names. `id` is the one to read it by, `page` the path of its page.

    `title` may be any text; `exact` is false where only the beginning of the id was given.
    """

    kind: str
    id: str
    title: str
    user: str
    project: str | None
    created_at: datetime | None
    page: str
    exact: bool = True


class OwnedRow(Protocol):
    """A row of a user's, in a project or in none."""

    pk: int
    user: Any
    project: Any


def match_of(
    row: OwnedRow, kind: str, key: str, *, title: str, created_at: datetime | None, page_name: str, exact: bool = True
) -> Match:
    """Return the match of a row whose page is the URL `page_name` with its primary key."""
    return Match(
        kind=kind,
        id=key,
        title=title,
        user=row.user.get_username(),
        project=row.project.key if row.project else None,
        created_at=created_at,
        page=reverse(page_name, args=[row.pk]),
        exact=exact,
    )


@dataclass(frozen=True)
class Lookup:
    """The matches, the user's own first, and whether there are more."""

    matches: Sequence[Match]
    more: bool = False


@dataclass(frozen=True)
class Finder:
    """How an app finds its rows. Both functions return only rows that the user may see.

    `find` returns up to so many rows with the id, or, if none has it, those whose id begins so. `source` may stand
    before the id (`learnings/12`). `page_name` is the name of the URL of a row's page, and `of_page` the row that such
    a page shows, by the URL's key.
    """

    source: str
    find: Callable[[User, str, int], Sequence[Match]]
    page_name: str
    of_page: Callable[[User, str], Sequence[Match]]


_finders: dict[str, Finder] = {}


def register(finder: Finder) -> None:
    """Register `finder`; it replaces the one of its source."""
    _finders[finder.source] = finder


def look_up(user: User, word: str) -> Lookup:
    """Return what `word` names: an id, its beginning, SOURCE/ID, or the address of a page. Raises InvalidInputError.

    The address may lack the server, and its first and last slash. A whole id wins over ids that begin so, and an id
    over an address.
    """
    word = one_line(clean(word))
    if not 1 <= len(word) <= MAX_WORD:
        raise InvalidInputError(f"an id has 1 to {MAX_WORD} characters")
    matches = ([] if _is_address(word) else _by_id(user, word)) or _by_page(user, word)
    exact = [match for match in matches if match.exact]
    matches = sorted(exact or matches, key=lambda match: match.user != user.get_username())
    return Lookup(matches[:MAX_MATCHES], more=len(matches) > MAX_MATCHES)


def _is_address(word: str) -> bool:
    return word.startswith(("/", "http://", "https://"))


def _by_page(user: User, word: str) -> list[Match]:
    try:
        page = resolve(f"/{urlsplit(word).path.strip('/')}/")
    except (Resolver404, ValueError):  # ValueError: it cannot be an address
        return []
    finders = [finder for finder in _finders.values() if finder.page_name == page.view_name]
    return [match for finder in finders for match in finder.of_page(user, str(page.kwargs.get("key", "")))]


def _by_id(user: User, word: str) -> list[Match]:
    source, _, rest = word.partition("/")
    if rest and source in _finders:
        return list(_finders[source].find(user, rest, MAX_MATCHES + 1))
    return [match for finder in _finders.values() for match in finder.find(user, word, MAX_MATCHES + 1)]
