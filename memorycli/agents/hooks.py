"""This product's entries in a hooks document. Claude Code's settings and Codex' `hooks.json` have the same form:

{"hooks": {EVENT: [{"matcher": ..., "hooks": [ENTRY, ...]}, ...]}}
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from memorycli.agents import jsontext
from memorycli.agents.handlers import is_ours

ROOT = "hooks"


class Entry(NamedTuple):
    """An entry and its position: the event, the index of the group, and the position in the group."""

    event: str
    group: int
    position: int
    handler: dict[str, Any]


def own_entries(document: object) -> list[Entry]:
    """Return the entries of this product; none if the document has another form."""
    events = document.get(ROOT) if isinstance(document, dict) else None
    return [
        Entry(event, group_index, position, handler)
        for event, groups in (events.items() if isinstance(events, dict) else ())
        for group_index, group in enumerate(groups if isinstance(groups, list) else ())
        for position, handler in enumerate(_handlers(group))
        if is_ours(handler)
    ]


def has_exactly(document: object, handlers: Mapping[str, Any]) -> bool:
    """Return whether this product's entries are exactly `handlers` (by event), each of them once."""
    entries = own_entries(document)
    return {entry.event: entry.handler for entry in entries} == handlers and len(entries) == len(handlers)


def add(text: str, handlers: Mapping[str, Any]) -> str:
    """Return `text` with `handlers` (by event), each added after the groups of its event. Raises JsonTextError."""
    document = jsontext.parse(text)
    if not isinstance(document, dict):
        raise jsontext.JsonTextError("is not a JSON object")
    events = document.get(ROOT, {})
    if not isinstance(events, dict):
        raise jsontext.JsonTextError(f'has a "{ROOT}" that is not an object')
    for event in handlers:
        if not isinstance(events.get(event, []), list):
            raise jsontext.JsonTextError(f'has "{ROOT}": "{event}" that is not an array')
    for event, handler in handlers.items():
        group = {ROOT: [handler]}
        if ROOT not in document:
            text = jsontext.set_value(text, (ROOT,), {event: [group]})
        elif event not in document[ROOT]:
            text = jsontext.set_value(text, (ROOT, event), [group])
        else:
            text = jsontext.set_value(text, (ROOT, event, len(document[ROOT][event])), group)
        document = jsontext.parse(text)
    return text


def remove(text: str, keep: Collection[str] = ()) -> str:
    """Return `text` without this product's entries and the containers that this leaves empty.

    `keep` names containers that stay: events, or `hooks` for the object of all events. Raises JsonTextError.
    """
    document = jsontext.parse(text)
    while entries := own_entries(document):
        entry = entries[-1]
        groups = document[ROOT][entry.event]
        path: tuple[str | int, ...] = (ROOT, entry.event, entry.group, ROOT, entry.position)
        if len(groups[entry.group][ROOT]) == 1:
            path = (ROOT, entry.event, entry.group)
            if len(groups) == 1 and entry.event not in keep:
                path = (ROOT,) if len(document[ROOT]) == 1 and ROOT not in keep else (ROOT, entry.event)
        text = jsontext.remove(text, path)
        document = jsontext.parse(text)
    return text


def empty_containers(text: str) -> list[str]:
    """Return the containers to keep when entries are removed again: `hooks` and the events without a group."""
    document = jsontext.parse(text)
    events = document.get(ROOT) if isinstance(document, dict) else None
    if not isinstance(events, dict):
        return []
    return [ROOT, *(event for event, groups in events.items() if groups == [])]


def _handlers(group: object) -> list[Any]:
    handlers = group.get(ROOT) if isinstance(group, dict) else None
    return handlers if isinstance(handlers, list) else []
