"""API endpoints of whole documents and of timelines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

from ninja import Field, Query, Router, Schema

from memoryserver.accounts.auth import READ, AuthenticatedRequest
from memoryserver.common.text import one_line, shorten
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import note
from memoryserver.problems import Problem
from memoryserver.search import reading
from memoryserver.search.documents import Document

router = Router(tags=["search"])
MISSING = "not found; use an id returned by search"


class DocumentOut(Schema):
    """A document. `size` is the length of its full text; `text` may be cut as requested."""

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
    """The documents in the order requested, and the ids of those that do not exist or are not visible."""

    documents: list[DocumentOut]
    missing: list[str]


class DocumentsQuery(Schema):
    """Ids as returned by search (`learnings/12`), and the maximum length of each text in characters.

    The documents are counted as opened, unless `counted` is false: for those of which a part was read before.
    """

    id: list[str] = Field(description=f"1 to {reading.MAX_IDS} ids")
    chars: int | None = Field(None, ge=1)
    counted: bool = True


class EventOut(Schema):
    """A document in one line; `here` marks the requested one, `size` is the length of its full text."""

    id: str
    here: bool
    kind: str
    line: str
    size: int
    user: str
    project: str | None
    created_at: datetime


class TimelineOut(Schema):
    """The events, oldest first."""

    events: list[EventOut]


class TimelineQuery(Schema):
    """The id, the number of events before and after it, and the maximum length of each line in characters."""

    id: str
    before: int = 5
    after: int = 5
    chars: int = Field(160, ge=20, le=2_000)


@router.get("/memory", auth=READ, response=DocumentsOut, operation_id="memory_read", summary="Read documents")
def read_many(request: AuthenticatedRequest, query: Annotated[DocumentsQuery, Query()]) -> Any:
    """The entries, learnings and observations with these ids that the token's user may see."""
    result = reading.read(request.user, query.id)
    if query.counted:
        documents = [document.id for document in result.documents]
        note(request, Inquiry.Kind.OPEN, words=" ".join(query.id), found=len(documents), documents=documents)
    return {"documents": [_document(document, query.chars) for document in result.documents], "missing": result.missing}


@router.get(
    "/memory/{source}/{key}",
    auth=READ,
    response=DocumentOut,
    operation_id="memory_read_one",
    summary="Read one document",
)
def read_one(request: AuthenticatedRequest, source: str, key: str) -> Any:
    """The document with its full text."""
    result = reading.read(request.user, [f"{source}/{key}"])
    if not result.documents:
        raise Problem(404, MISSING)
    note(request, Inquiry.Kind.OPEN, words=f"{source}/{key}", found=1, documents=[result.documents[0].id])
    return _document(result.documents[0], None)


@router.get(
    "/timeline", auth=READ, response=TimelineOut, operation_id="memory_timeline", summary="Events around a document"
)
def timeline(request: AuthenticatedRequest, query: Annotated[TimelineQuery, Query()]) -> Any:
    """Documents of the same project, session or transcript that the token's user may see."""
    result = reading.timeline(request.user, query.id, before=query.before, after=query.after)
    if result is None:
        raise Problem(404, MISSING)
    events = list(_events(result, query.chars))
    note(request, Inquiry.Kind.TIMELINE, words=query.id, found=len(events), documents=[event["id"] for event in events])
    return {"events": events}


def _events(around: reading.Timeline, chars: int) -> Iterator[dict[str, Any]]:
    for document in [*around.before, around.here, *around.after]:
        yield {
            "id": document.id,
            "here": document is around.here,
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
