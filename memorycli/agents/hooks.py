"""This product's entries in a document of hooks, as Claude Code's settings and Codex' `hooks.json` hold them:

{"hooks": {EVENT: [{"matcher": ..., "hooks": [ENTRY, ...]}, ...]}}
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from memorycli.agents import jsontext
from memorycli.agents.handlers import is_ours

ROOT = "hooks"


class Entry(NamedTuple):
    """An entry and where it stands."""

    event: str
    group: int
    place: int
    handler: dict[str, Any]


def ours(document: object) -> list[Entry]:
    """The entries of this product; what has no such form holds none."""
    events = document.get(ROOT) if isinstance(document, dict) else None
    return [
        Entry(event, number, index, handler)
        for event, groups in (events.items() if isinstance(events, dict) else ())
        for number, group in enumerate(groups if isinstance(groups, list) else ())
        for index, handler in enumerate(_handlers(group))
        if is_ours(handler)
    ]


def are_in(document: object, wanted: Mapping[str, Any]) -> bool:
    """Whether just the entries `wanted` (event to entry) are there, each once and for every call."""
    found = ours(document)
    return {entry.event: entry.handler for entry in found} == wanted and len(found) == len(wanted)


def put(text: str, wanted: Mapping[str, Any]) -> str:
    """`text` with the entries `wanted`, each behind what its event has already. Raises JsonTextError."""
    document = jsontext.parse(text)
    if not isinstance(document, dict):
        raise jsontext.JsonTextError("holds no JSON object")
    events = document.get(ROOT, {})
    if not isinstance(events, dict):
        raise jsontext.JsonTextError(f'has a "{ROOT}" that is no object')
    for event in wanted:
        if not isinstance(events.get(event, []), list):
            raise jsontext.JsonTextError(f'has "{ROOT}": "{event}" that is no array')
    for event, handler in wanted.items():
        group = {ROOT: [handler]}
        if ROOT not in document:
            text = jsontext.put(text, (ROOT,), {event: [group]})
        elif event not in document[ROOT]:
            text = jsontext.put(text, (ROOT, event), [group])
        else:
            text = jsontext.put(text, (ROOT, event, len(document[ROOT][event])), group)
        document = jsontext.parse(text)
    return text


def take(text: str, keep: Collection[str] = ()) -> str:
    """`text` without the entries, and without what they leave empty; but for the containers named in `keep`.

    In `keep` are names of events, and `hooks` for all of them. Raises JsonTextError.
    """
    document = jsontext.parse(text)
    while found := ours(document):
        entry = found[-1]
        groups = document[ROOT][entry.event]
        path: tuple[str | int, ...] = (ROOT, entry.event, entry.group, ROOT, entry.place)
        if len(groups[entry.group][ROOT]) == 1:
            path = (ROOT, entry.event, entry.group)
            if len(groups) == 1 and entry.event not in keep:
                path = (ROOT,) if len(document[ROOT]) == 1 and ROOT not in keep else (ROOT, entry.event)
        text = jsontext.take(text, path)
        document = jsontext.parse(text)
    return text


def empty_containers(text: str) -> list[str]:
    """What is there without any entry: `take` is told to keep it."""
    document = jsontext.parse(text)
    events = document.get(ROOT) if isinstance(document, dict) else None
    if not isinstance(events, dict):
        return []
    return [ROOT, *(event for event, groups in events.items() if groups == [])]


def _handlers(group: object) -> list[Any]:
    handlers = group.get(ROOT) if isinstance(group, dict) else None
    return handlers if isinstance(handlers, list) else []
