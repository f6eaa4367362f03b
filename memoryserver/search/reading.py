"""Retrieval of whole documents by id, and the timeline around one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoryserver.accounts.models import User
from memoryserver.common.text import clean, one_line, shorten
from memoryserver.errors import InvalidInputError
from memoryserver.search.documents import Document
from memoryserver.search.sources import all_sources

MAX_IDS = 20
MAX_AROUND = 50


@dataclass(frozen=True)
class Reading:
    """The documents in the order requested, and the ids that do not exist or are not visible to the user."""

    documents: Sequence[Document]
    missing: Sequence[str]


@dataclass(frozen=True)
class Timeline:
    """The documents before and after `here`, both oldest first."""

    before: Sequence[Document]
    here: Document
    after: Sequence[Document]


def read(user: User, ids: Sequence[str]) -> Reading:
    """Return the documents with these ids (`SOURCE/KEY`, 1 to MAX_IDS) that `user` may see.

    Two users may have documents with the same key; then both are returned, the user's own first. What is no id is
    missing too. Raises InvalidInputError, also for that if there is no document at all.
    """
    if not 1 <= len(ids) <= MAX_IDS:
        raise InvalidInputError(f"request 1 to {MAX_IDS} ids at once")
    documents: list[Document] = []
    missing: list[str] = []
    wrong: InvalidInputError | None = None
    for name in dict.fromkeys(ids):
        try:
            matches = _read(user, name)
        except InvalidInputError as error:
            matches, wrong = [], wrong or error
        documents += matches
        missing += [] if matches else [name]
    if wrong is not None and not documents:
        raise wrong
    return Reading(documents, missing)


def timeline(user: User, name: str, *, before: int, after: int) -> Timeline | None:
    """Return the documents around `name` that share its project, session or transcript and that `user` may see.

    At most `before` and `after` (0 to MAX_AROUND each); documents of the same time count as before. Returns None if
    `user` can see no document `name`. Raises InvalidInputError.
    """
    if not (0 <= before <= MAX_AROUND and 0 <= after <= MAX_AROUND):
        raise InvalidInputError(f"before and after must be from 0 to {MAX_AROUND}")
    here = next(iter(_read(user, name)), None)
    if here is None:
        return None
    earlier = [other for source in all_sources() for other in source.near(user, here, "before", before + 1)]
    later = [other for source in all_sources() for other in source.near(user, here, "after", after)]
    earlier = [other for other in earlier if (other.id, other.user) != (here.id, here.user)]
    return Timeline(
        before=sorted(earlier, key=_sort_key)[-before:] if before else [],
        here=here,
        after=sorted(later, key=_sort_key)[:after],
    )


def _read(user: User, name: str) -> list[Document]:
    source_name, slash, key = clean(name).partition("/")
    if not slash or not key:
        shown_name = repr(shorten(one_line(name), 60))
        raise InvalidInputError(
            f"{shown_name} is not an id; use SOURCE/KEY as returned by search, such as learnings/12"
        )
    sources = {source.name: source for source in all_sources()}
    if source_name not in sources:
        raise InvalidInputError(
            f"unknown source {shorten(one_line(source_name), 60)!r}; known sources: {', '.join(sources)}"
        )
    documents = sources[source_name].read(user, key)
    return sorted(documents, key=lambda document: document.user != user.get_username())


def _sort_key(document: Document) -> tuple[object, ...]:
    return document.created_at, document.source, document.key, document.user
