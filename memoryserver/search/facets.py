"""How the results of a search are distributed over the sources and over the values of their filters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from memoryserver.search.sources import source_of
from memoryserver.vectors.models import Record

SOURCE = "source"


def counts(records: Sequence[int], filters: Sequence[str]) -> Mapping[str, Counter[str]]:
    """Return the number of `records` by source and by the values of each of `filters`; one query."""
    found: dict[str, Counter[str]] = {name: Counter() for name in (SOURCE, *filters)}
    for collection, payload in Record.objects.filter(pk__in=records).values_list("collection", "payload"):
        source = source_of(collection)
        found[SOURCE][source.name] += 1
        for name in filters:
            value = payload.get(source.filters[name].payload_field) if name in source.filters else None
            if isinstance(value, str) and value:
                found[name][value] += 1
    return found
