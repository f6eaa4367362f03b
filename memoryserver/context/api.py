"""API endpoints of the context given to a session at its start, and of what clients report of contexts they kept."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from ninja import Field, Query, Router, Schema

from memoryserver.accounts.auth import READ, AuthenticatedRequest
from memoryserver.accounts.projects import known_project, stored_key
from memoryserver.context import explanation, service
from memoryserver.inquiries import deliveries
from memoryserver.inquiries.deliveries import Delivery
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import MAX_DOCUMENTS, MAX_ID, note
from memoryserver.reported_times import UtcDatetime

router = Router(tags=["search"])

BATCH_LIMIT = 200
MAX_LINES = 10_000


class SectionOut(Schema):
    """A section: its lines, the most useful first."""

    name: str
    title: str
    lines: list[str]


class ContextOut(Schema):
    """The sections, and the same as Markdown; both are empty if the project has no memory yet.

    `documents` are the ids of the lines that can be read in full at `/memory`.
    """

    project: str
    generated_at: datetime
    sections: list[SectionOut]
    text: str
    documents: list[str]


class ExplainedLineOut(Schema):
    """A line and what became of it: `included`, `no room`, `repeated` or `left out`.

    `why` are the reasons; `page` is the path of the line's page, "" if it has none.
    """

    section: str
    text: str
    outcome: str
    why: str
    weight: float
    page: str


class ExplanationOut(Schema):
    """The lines of a context: the included ones first, then what is not in it, each group the best first."""

    project: str
    generated_at: datetime
    chars: int
    lines: list[ExplainedLineOut]


class LengthQuery(Schema):
    """The project's key, and the maximum length in characters."""

    project: str
    chars: int = service.CHARS


class ContextQuery(LengthQuery):
    """The project's key, the maximum length in characters, and whether the response is only kept for sessions.

    A response with `deliveries` is not counted: the client reports at `/context/deliveries` what sessions get of it.
    """

    deliveries: bool = False


class DeliveryIn(Schema):
    """A context that a client kept and gave to a session: how many `lines` of it, and the ids of those with one.

    `id` is created by the client. `session_id` is blank if it is not known. `way` is `agent` if the context went into
    a session by itself, and `command` if a command printed it.
    """

    id: str = Field(min_length=1, max_length=64)
    project: str = Field("", max_length=500)
    session_id: str = Field("", max_length=200)
    way: Literal["agent", "command"] = "agent"
    lines: int = Field(0, ge=0, le=MAX_LINES)
    documents: list[Annotated[str, Field(max_length=MAX_ID)]] = Field(default_factory=list, max_length=MAX_DOCUMENTS)
    delivered_at: UtcDatetime


class Deliveries(Schema):
    """Contexts given to sessions, in chronological order."""

    deliveries: list[DeliveryIn] = Field(min_length=1, max_length=BATCH_LIMIT)


class DeliveryReceipt(Schema):
    """The result for one delivery: `unchanged` if it was known, or is too old to be recorded."""

    id: str
    status: Literal["stored", "unchanged"]


class DeliveryReceipts(Schema):
    """The result for each delivery, in the order sent."""

    results: list[DeliveryReceipt]


@router.get(
    "", auth=READ, response=ContextOut, operation_id="context", summary="The context of a project for a new session"
)
def context(request: AuthenticatedRequest, query: Annotated[ContextQuery, Query()]) -> Any:
    """The most useful learnings, common failures and working strategies that the token's user may see.

    All text is quoted: each item is one bounded line without fences or tags.
    """
    built = service.build_context(request.user, _key(request, query), query.chars)
    if not query.deliveries:
        lines = built.text.count("\n- ")
        note(request, Inquiry.Kind.CONTEXT, found=lines, project=built.project, documents=built.documents)
    return built


@router.post("/deliveries", auth=READ, response=DeliveryReceipts, summary="Report contexts given to sessions")
def receive_deliveries(request: AuthenticatedRequest, batch: Deliveries) -> Any:
    """Idempotent by id. Documents that the token's user may not see, or that are gone, are ignored."""
    new = deliveries.receive(request.user, [_delivery(each) for each in batch.deliveries])
    results = []
    for each in batch.deliveries:
        results.append({"id": each.id, "status": "stored" if each.id in new else "unchanged"})
        new.discard(each.id)
    return {"results": results}


@router.get("/explanation", auth=READ, response=ExplanationOut, summary="Why each line of a project's context is there")
def context_explanation(request: AuthenticatedRequest, query: Annotated[LengthQuery, Query()]) -> Any:
    """The lines that a context of this length has, and those that it does not have, with the reasons."""
    return explanation.explain(request.user, _key(request, query), query.chars)


def _delivery(sent: DeliveryIn) -> Delivery:
    values = sent.dict(exclude={"session_id", "way"})
    return Delivery(session=sent.session_id, way=Inquiry.Way(sent.way), **values)


def _key(request: AuthenticatedRequest, query: LengthQuery) -> str:
    """Return the key that the project has now, which may be another one than a laptop with an old remote sends."""
    project = known_project(request.user, stored_key(query.project))
    return project.key if project else query.project
