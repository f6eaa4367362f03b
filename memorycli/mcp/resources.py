"""The journal and the assessment as resources, for clients that attach them rather than call a tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ghap.local import Journal
from memorycli.mcp.answers import line
from memorycli.mcp.place import Place
from memorycli.mcp.server_calls import in_thread
from trajectory.local.engine.project_files import ProjectFiles
from trajectory.local.engine.triggers import ASSESSMENT_PATH


@dataclass(frozen=True)
class ReadableResource:
    """One resource: what it is called, what it holds, and how it is read."""

    uri: str
    name: str
    description: str
    mime_type: str
    read: Callable[[Place], Awaitable[str]]


async def _active(place: Place) -> str:
    def read() -> str:
        entry = Journal(place.journal).get_current() if place.journal.is_dir() else None
        return entry.to_json(indent=2) if entry else "null"

    return await in_thread(read)


async def _session(place: Place) -> str:
    def read() -> str:
        entries = Journal(place.journal).get_session_entries() if place.journal.is_dir() else []
        return "".join(f"{entry.to_json()}\n" for entry in entries)

    return await in_thread(read)


async def _assessment(place: Place) -> str:
    files = ProjectFiles(place.folder)
    return await in_thread(lambda: files.read_text(ASSESSMENT_PATH) if files.exists(ASSESSMENT_PATH) else "")


RESOURCES = (
    ReadableResource("memory://journal/active", "active GHAP entry", "null where none is", "application/json", _active),
    ReadableResource(
        "memory://journal/session",
        "GHAP entries of this session",
        "resolved ones, one JSON object a line, oldest first",
        "application/jsonl",
        _session,
    ),
    ReadableResource(
        "memory://trajectory/assessment",
        "trajectory assessment",
        "open findings of the observers; empty where there are none",
        "text/markdown",
        _assessment,
    ),
)


def named(uri: str) -> ReadableResource:
    """Return the resource of that URI; KeyError lists the URIs."""
    for resource in RESOURCES:
        if resource.uri == uri:
            return resource
    raise KeyError(f"there is no resource {line(uri)}; there are {', '.join(resource.uri for resource in RESOURCES)}")
