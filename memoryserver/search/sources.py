"""What can be searched: each app registers its own, so that search knows none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.db.models import Q

from memoryserver.accounts.models import User
from memoryserver.common.text import clean
from memoryserver.search.documents import Document
from memoryserver.vectors.models import Record

Side = Literal["before", "after"]


@dataclass(frozen=True)
class Description:
    """How a found thing is shown: its title (blank where the text is all there is), kind, text and origin.

    `size` is how many characters it has when it is read whole, None where title and text are all. `page` is the
    address of its page, blank where it has none.
    """

    title: str
    kind: str
    text: str
    origin: Mapping[str, str] = field(default_factory=dict)
    size: int | None = None
    page: str = ""


def _nothing_whole(user: User, key: str) -> Sequence[Document]:
    return []


def _nothing_near(user: User, here: Document, side: Side, limit: int) -> Sequence[Document]:
    return []


@dataclass(frozen=True)
class Filter:
    """A field of the payload by which a source can be narrowed.

    `choices` are the values it may have, none where it may have any. With `prefix` it narrows to what begins with the
    value.
    """

    payload_field: str
    choices: Sequence[str] = ()
    prefix: bool = False


@dataclass(frozen=True)
class Source:
    """A searchable kind of thing.

    `collections` maps each collection to the name of its axis. `describe` takes found records of these
    collections and describes each, by the record's primary key. `filters` are those of its own, by name. What is not
    `by_default` is found only where it is asked for.

    `whole` gives the things of a key that a user may see, whole. `near` gives, of those that a user may see and that
    are of the same story as a document, so many next to it in time: not after it ("before"), or after it.
    """

    name: str
    collections: Mapping[str, str]
    describe: Callable[[Sequence[Record]], Mapping[int, Description]]
    filters: Mapping[str, Filter] = field(default_factory=dict)
    by_default: bool = True
    whole: Callable[[User, str], Sequence[Document]] = _nothing_whole
    near: Callable[[User, Document, Side, int], Sequence[Document]] = _nothing_near

    @property
    def is_readable(self) -> bool:
        """Whether its things can be read whole."""
        return self.whole is not _nothing_whole

    def narrowed(self, wanted: Mapping[str, str]) -> Q:
        """What the payload of a record must be that has these values of the source's filters."""
        equal, condition = {}, Q()
        for name, value in wanted.items():
            narrowing = self.filters[name]
            if narrowing.prefix:
                condition &= Q((f"payload__{narrowing.payload_field}__startswith", clean(value)))
            else:
                equal[narrowing.payload_field] = clean(value)
        return condition & Q(payload__contains=equal) if equal else condition


_sources: dict[str, Source] = {}


def register(source: Source) -> None:
    """Let `source` be searched; again under the same name replaces it."""
    _sources[source.name] = source


def all_sources() -> list[Source]:
    """Every source, in the order registered."""
    return list(_sources.values())


def source_of(collection: str) -> Source:
    """The source that `collection` belongs to; KeyError if none does."""
    for source in _sources.values():
        if collection in source.collections:
            return source
    raise KeyError(collection)
