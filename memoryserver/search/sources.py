"""Registry of searchable sources: each app registers its own, so that this package depends on none of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
    """How a result is displayed: its title (blank if it has only a text), kind, text and origin.

    `size` is the length of the full document, None if title and text are all of it. `page` is the URL of its page,
    blank if it has none.
    """

    title: str
    kind: str
    text: str
    origin: Mapping[str, str] = field(default_factory=dict)
    size: int | None = None
    page: str = ""


def _nothing_later(keys: Sequence[str]) -> Mapping[str, Collection[str]]:
    return {}


@dataclass(frozen=True)
class Filter:
    """A payload field by which a source can be filtered.

    `choices` are the valid values; empty means any. With `prefix` it matches by prefix.
    """

    payload_field: str
    choices: Sequence[str] = ()
    prefix: bool = False


@dataclass(frozen=True)
class Source:
    """A searchable kind of document.

    `collections` maps each collection to the name of its axis. `describe` returns descriptions of records of these
    collections, by primary key. `filters` are the source's own filters, by name. A source that is not `by_default` is
    searched only if requested. `has_turns` is whether its texts may be turns of a conversation, which begin with their
    speaker: those of an entry begin with the names of its fields.

    `read` returns the documents with a key that a user may see. `near` returns the given number of documents of the
    same timeline as a document: not later than it ("before"), or later ("after"). `later` returns which documents of
    some keys are contradicted by later ones that are shown, each with the keys of those, the newest first.
    """

    name: str
    collections: Mapping[str, str]
    describe: Callable[[Sequence[Record]], Mapping[int, Description]]
    read: Callable[[User, str], Sequence[Document]]
    near: Callable[[User, Document, Side, int], Sequence[Document]]
    filters: Mapping[str, Filter] = field(default_factory=dict)
    by_default: bool = True
    later: Callable[[Sequence[str]], Mapping[str, Collection[str]]] = _nothing_later
    has_turns: bool = True

    def payload_condition(self, values: Mapping[str, str]) -> Q:
        """Return the condition on a record's payload for these filter values, by filter name."""
        equal, condition = {}, Q()
        for name, value in values.items():
            filter_ = self.filters[name]
            if filter_.prefix:
                condition &= Q((f"payload__{filter_.payload_field}__startswith", clean(value)))
            else:
                equal[filter_.payload_field] = clean(value)
        return condition & Q(payload__contains=equal) if equal else condition


_sources: dict[str, Source] = {}


def register(source: Source) -> None:
    """Register `source`; it replaces one of the same name."""
    _sources[source.name] = source


def all_sources() -> list[Source]:
    """Return every source, in the order registered."""
    return list(_sources.values())


def with_turns(collections: Iterable[str]) -> list[str]:
    """Return those of `collections` whose texts may be turns of a conversation."""
    spoken = {name for source in _sources.values() if source.has_turns for name in source.collections}
    return [name for name in collections if name in spoken]


def source_of(collection: str) -> Source:
    """Return the source that `collection` belongs to. Raises KeyError if there is none."""
    for source in _sources.values():
        if collection in source.collections:
            return source
    raise KeyError(collection)
