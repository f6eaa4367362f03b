"""Which areas of the API use a word: the first parts of the paths after its version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from memoryserver.api import api

_QUERIES = {
    "ContextQuery": "context",
    "LearningsQuery": "learnings",
    "ObservationQuery": "observations",
    "RecentQuery": "observations",
    "SearchQuery": "search",
}
"""Schemas of parameters, which the description no longer names."""


@cache
def _areas() -> Mapping[str, set[str]]:
    document: dict[str, Any] = api.get_openapi_schema()
    schemas = document["components"]["schemas"]
    areas = defaultdict(set)
    for path, operations in document["paths"].items():
        area = path.split("/")[3]
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                areas[parameter["name"]].add(area)
            for schema in _schemas_of(operation, schemas) - {"Problem"}:
                for field in schemas[schema].get("properties", {}):
                    areas[field].add(area)
                    areas[f"{schema}.{field}"].add(area)
    return areas


def _schemas_of(content: object, schemas: Mapping[str, Any]) -> set[str]:
    """The names of the schemas in `content`, and of those in these."""
    found: set[str] = set()
    waiting = [content]
    while waiting:
        new = {name for name in _references(waiting.pop()) if name not in found}
        found |= new
        waiting += [schemas[name] for name in new]
    return found


def _references(content: object) -> Iterator[str]:
    if isinstance(content, Mapping):
        reference = content.get("$ref", "")
        if isinstance(reference, str) and reference.startswith("#/components/schemas/"):
            yield reference.rpartition("/")[2]
        for value in content.values():
            yield from _references(value)
    elif isinstance(content, list):
        for value in content:
            yield from _references(value)


def areas_of(word: str) -> set[str]:
    query = _QUERIES.get(word.partition(".")[0])
    return {query} if query else _areas().get(word, set())


def misplaced(words: Mapping[str, object], *areas: str) -> dict[str, set[str]]:
    """The words that something else than `areas` uses too, or that nothing uses, with what uses them."""
    return {word: areas_of(word) for word in words if not areas_of(word) or areas_of(word) - set(areas)}
