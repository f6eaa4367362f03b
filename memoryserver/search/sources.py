"""What can be searched: each app registers its own, so that search knows none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from memoryserver.vectors.models import Record


@dataclass(frozen=True)
class Description:
    """How a found thing is shown: its title (blank where the text is all there is), kind, text and origin."""

    title: str
    kind: str
    text: str
    origin: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Filter:
    """A field of the payload by which a source can be narrowed, and the values it may have."""

    payload_field: str
    choices: Sequence[str]


@dataclass(frozen=True)
class Source:
    """A searchable kind of thing.

    `collections` maps each collection to the name of its axis. `describe` takes found records of these
    collections and describes each, by the record's primary key. `filters` are those of its own, by name.
    """

    name: str
    collections: Mapping[str, str]
    describe: Callable[[Sequence[Record]], Mapping[int, Description]]
    filters: Mapping[str, Filter] = field(default_factory=dict)


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
