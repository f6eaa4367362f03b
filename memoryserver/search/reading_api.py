"""API of reading: the whole of named things, and what happened around one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

from ninja import Field, Query, Router, Schema

from memoryserver.accounts.auth import AuthenticatedRequest
from memoryserver.common.text import one_line, shorten
from memoryserver.problems import Problem
from memoryserver.search import reading
from memoryserver.search.documents import Document

router = Router(tags=["search"])
MISSING = "there is nothing of this id, or it is not yours to see; ids are those that search gives"


class DocumentOut(Schema):
    """One thing whole. `size` is how many characters its text has, of which `text` is as much as was asked for."""

    id: str
    source: str
    key: str
    kind: str
    title: str
    text: str
    size: int
    user: str
    project: str | None
    created_at: datetime
    details: dict[str, Any]


class DocumentsOut(Schema):
    """The documents in the order asked for, and the ids of which there is none that one may see."""

    documents: list[DocumentOut]
    missing: list[str]


class DocumentsQuery(Schema):
    """Which, by the ids that search gives (`learnings/12`), and how many characters of each text at most."""

    id: list[str] = Field(description=f"1 to {reading.MAX_IDS} of them")
    chars: int | None = Field(None, ge=1)


class EventOut(Schema):
    """One thing in a line; `here` marks the one that was asked about, `size` is that of its whole text."""

    id: str
    here: bool
    kind: str
    line: str
    size: int
    user: str
    project: str | None
    created_at: datetime


class TimelineOut(Schema):
    """What happened, oldest first."""

    events: list[EventOut]


class TimelineQuery(Schema):
    """Around what, how many things before and after it, and how many characters of each at most."""

    id: str
    before: int = 5
    after: int = 5
    chars: int = Field(160, ge=20, le=2_000)


@router.get("/memory", response=DocumentsOut, operation_id="memory_read", summary="Read things whole")
def read_many(request: AuthenticatedRequest, query: Annotated[DocumentsQuery, Query()]) -> Any:
    """Of entries, learnings and observations, those with these ids that the token's user may see."""
    try:
        found = reading.read(request.user, query.id)
    except reading.InvalidReadingError as error:
        raise Problem(422, str(error)) from error
    return {"documents": [_document(one, query.chars) for one in found.documents], "missing": found.missing}


@router.get("/memory/{source}/{key}", response=DocumentOut, operation_id="memory_read_one", summary="Read one thing")
def read_one(request: AuthenticatedRequest, source: str, key: str) -> Any:
    """The whole of it."""
    try:
        found = reading.read(request.user, [f"{source}/{key}"])
    except reading.InvalidReadingError as error:
        raise Problem(422, str(error)) from error
    if not found.documents:
        raise Problem(404, MISSING)
    return _document(found.documents[0], None)


@router.get("/timeline", response=TimelineOut, operation_id="memory_timeline", summary="What happened around one thing")
def timeline(request: AuthenticatedRequest, query: Annotated[TimelineQuery, Query()]) -> Any:
    """Of the same project, session or transcript, as far as the token's user may see it."""
    try:
        found = reading.timeline(request.user, query.id, before=query.before, after=query.after)
    except reading.InvalidReadingError as error:
        raise Problem(422, str(error)) from error
    if found is None:
        raise Problem(404, MISSING)
    return {"events": list(_events(found, query.chars))}


def _events(found: reading.Timeline, chars: int) -> Iterator[dict[str, Any]]:
    for document in [*found.before, found.here, *found.after]:
        yield {
            "id": document.id,
            "here": document is found.here,
            "kind": document.kind,
            "line": shorten(one_line(document.title), chars),
            "size": document.size,
            "user": document.user,
            "project": document.project,
            "created_at": document.created_at,
        }


def _document(document: Document, chars: int | None) -> dict[str, Any]:
    return {
        "id": document.id,
        "source": document.source,
        "key": document.key,
        "kind": document.kind,
        "title": document.title,
        "text": document.text if chars is None else shorten(document.text, chars),
        "size": document.size,
        "user": document.user,
        "project": document.project,
        "created_at": document.created_at,
        "details": document.details,
    }
