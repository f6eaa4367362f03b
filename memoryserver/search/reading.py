"""Reading what search has found: the whole of things that are named, and what happened around one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoryserver.accounts.models import User
from memoryserver.common.text import clean, one_line, shorten
from memoryserver.search.documents import Document
from memoryserver.search.sources import Source, all_sources

MAX_IDS = 20
MAX_AROUND = 50


class InvalidReadingError(ValueError):
    """What is asked for cannot be; the text says why."""


@dataclass(frozen=True)
class Reading:
    """The documents in the order asked for, and the ids that there are not, or that are not the asker's to see."""

    documents: Sequence[Document]
    missing: Sequence[str]


@dataclass(frozen=True)
class Timeline:
    """What happened around `here`: up to and after it, both oldest first."""

    before: Sequence[Document]
    here: Document
    after: Sequence[Document]


def read(user: User, ids: Sequence[str]) -> Reading:
    """The whole of what has these ids (`SOURCE/KEY`, 1 to MAX_IDS) and `user` may see. Raises InvalidReadingError.

    Two people's agents may have made the same key: then both are given, the asker's own first.
    """
    if not 1 <= len(ids) <= MAX_IDS:
        raise InvalidReadingError(f"ask for 1 to {MAX_IDS} ids at once")
    found = [(name, _whole(user, name)) for name in dict.fromkeys(ids)]
    return Reading(
        documents=[document for _, documents in found for document in documents],
        missing=[name for name, documents in found if not documents],
    )


def timeline(user: User, name: str, *, before: int, after: int) -> Timeline | None:
    """What `user` may see of the same project, session or transcript as `name`, next to it in time; None without it.

    At most `before` and `after` (0 to MAX_AROUND each). What is of the same moment counts as before. Raises
    InvalidReadingError.
    """
    if not (0 <= before <= MAX_AROUND and 0 <= after <= MAX_AROUND):
        raise InvalidReadingError(f"before and after must be from 0 to {MAX_AROUND}")
    here = next(iter(_whole(user, name)), None)
    if here is None:
        return None
    earlier = [other for source in _readable() for other in source.near(user, here, "before", before + 1)]
    later = [other for source in _readable() for other in source.near(user, here, "after", after)]
    earlier = [other for other in earlier if (other.id, other.user) != (here.id, here.user)]
    return Timeline(
        before=sorted(earlier, key=_place)[-before:] if before else [],
        here=here,
        after=sorted(later, key=_place)[:after],
    )


def _whole(user: User, name: str) -> list[Document]:
    source_name, slash, key = clean(name).partition("/")
    if not slash or not key:
        given = repr(shorten(one_line(name), 60))
        raise InvalidReadingError(f"{given} is no id; an id is SOURCE/KEY, as search gives it, such as learnings/12")
    sources = {source.name: source for source in _readable()}
    if source_name not in sources:
        raise InvalidReadingError(
            f"there is no source {shorten(one_line(source_name), 60)!r}; there are: {', '.join(sources)}"
        )
    found = sources[source_name].whole(user, key)
    return sorted(found, key=lambda document: document.user != user.get_username())


def _readable() -> list[Source]:
    return [source for source in all_sources() if source.is_readable]


def _place(document: Document) -> tuple[object, ...]:
    return document.created_at, document.source, document.key, document.user
