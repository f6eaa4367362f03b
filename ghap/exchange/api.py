"""API of entries: receive resolved and open ones, list them, and show one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.urls import reverse
from ninja import Field, Query, Router, Schema

from ghap import intake
from ghap.entries import Filter
from ghap.exchange import listing
from ghap.exchange.parameters import moment, project_key
from ghap.local import Domain, Strategy
from ghap.models import Entry, OpenEntry
from ghap.unresolved import open_entries
from memoryserver.accounts.auth import INGEST, READ, AuthenticatedRequest
from memoryserver.accounts.projects import project_for
from memoryserver.problems import Problem

router = Router(tags=["ghap"])

BATCH_LIMIT = 100
PAGE, MAX_PAGE = 50, 200


class EntryBatch(Schema):
    """Entries of one project, in the journal's format."""

    project: str = ""
    entries: list[dict[str, Any]] = Field(min_length=1, max_length=BATCH_LIMIT)


class EntryReceipt(Schema):
    """The result for one entry."""

    id: str
    status: str
    reason: str | None = None


class EntryReceipts(Schema):
    """The result for each entry, in the order sent."""

    results: list[EntryReceipt]


@router.post(
    "/entries", auth=INGEST, response=EntryReceipts, exclude_none=True, summary="Send resolved or abandoned entries"
)
def receive_entries(request: AuthenticatedRequest, batch: EntryBatch) -> dict[str, Any]:
    """Idempotent by entry id. A refused entry does not affect the others; its result has the reason."""
    receipts = intake.receive(request.user, project_for(request.user, batch.project), batch.entries)
    return {"results": receipts}


class OpenEntryBatch(Schema):
    """Entries of one project that are not resolved yet, in the journal's format."""

    project: str = ""
    open_entries: list[dict[str, Any]] = Field(min_length=1, max_length=BATCH_LIMIT)


@router.post(
    "/open-entries", auth=INGEST, response=EntryReceipts, exclude_none=True, summary="Report entries that are open"
)
def receive_open_entries(request: AuthenticatedRequest, batch: OpenEntryBatch) -> dict[str, Any]:
    """Each takes the place of what was reported of it before; the resolved entry removes it."""
    receipts = open_entries.receive(request.user, project_for(request.user, batch.project), batch.open_entries)
    return {"results": receipts}


class EntriesQuery(Schema):
    """Filters and page; `project` is a project's key.

    `since` and `until` are each a date, a time (UTC by default) or an age such as `30d`.
    """

    project: str | None = None
    session: str | None = Field(
        None, description="only entries of this session: the journal's id of it or the agent's", max_length=200
    )
    domain: Domain | None = None
    strategy: Strategy | None = None
    status: Literal["confirmed", "falsified", "abandoned", "open"] | None = Field(
        None, description="only entries that ended so, or those that are `open`; by default all that ended"
    )
    since: str | None = Field(
        None, description="only entries resolved from then on, of open ones those begun: a date, a time or an age"
    )
    until: str | None = Field(
        None, description="only entries resolved before then, of open ones those begun: a date, a time or an age"
    )
    limit: int = Field(PAGE, ge=1, le=MAX_PAGE)
    cursor: str = ""


class EntryOut(Schema):
    """A GHAP entry. `captured_at`, `tier` and `collector_tier` are null while it is open."""

    id: str
    status: str = Field(description="confirmed, falsified, abandoned or open", examples=["confirmed"])
    user: str
    project: str | None
    domain: str
    strategy: str
    goal: str
    session_id: str = Field(description="the journal's id of the session", examples=["session_20260115_140000_d4e5f6"])
    agent_session: str = Field(
        description="the agent's id of the session; empty where it is not known",
        examples=["5d2c7a10-0000-4000-8000-000000000001"],
    )
    iteration_count: int = Field(description="how many hypotheses were tried", examples=[2])
    created_at: datetime
    captured_at: datetime | None = Field(description="when it was resolved; null while it is open")
    tier: str | None = Field(description="how far the outcome can be relied on: gold, silver, bronze or abandoned")
    collector_tier: str | None = Field(description="the tier that the journal gave", examples=["gold"])
    page: str = Field(description="the address of its page", examples=["/entries/42/"])


class QualityReason(Schema):
    """Why a hypothesis is poor."""

    kind: str = Field(description="vague, unfalsifiable or tautological", examples=["vague"])
    text: str = Field(description="the reason, in words", examples=["the hypothesis names no cause"])


class EntryDetail(EntryOut):
    """A GHAP entry with all that its laptop sent of it, and how its hypothesis was judged."""

    entry: dict[str, Any] = Field(
        description="the entry in the journal's format, as it was sent",
        examples=[{"id": "ghap_20260115_140500_a1b2c3", "goal": "Make the cart total right"}],
    )
    quality_score: float | None = Field(
        description="of the hypothesis, from 0 to 1; null if it was not judged", examples=[0.9]
    )
    quality_reasons: list[QualityReason] = Field(description="why the hypothesis is poor; empty if it is not")


class EntriesOut(Schema):
    """Entries, the latest first; `next_cursor` is null at the end."""

    entries: list[EntryOut] = Field(description="the entries of this page")
    next_cursor: str | None


@router.get("/entries", auth=READ, response=EntriesOut, summary="List entries, resolved or open")
def list_entries(request: AuthenticatedRequest, query: Annotated[EntriesQuery, Query()]) -> dict[str, Any]:
    """The entries that the token's user may see. An open one is listed for two weeks after its laptop reported it."""
    filters = Filter(
        project=project_key(request.user, query.project) or "",
        session=query.session or "",
        domain=query.domain.value if query.domain else "",
        strategy=query.strategy.value if query.strategy else "",
        outcome=query.status or "all",
        since=moment("since", query.since),
        until=moment("until", query.until),
    )
    page = listing.find(request.user, filters, limit=query.limit, cursor=query.cursor)
    return {"entries": [entry_out(row) for row in page.rows], "next_cursor": page.next_cursor}


@router.get("/entries/{ghap_id}", auth=READ, response=EntryDetail, summary="One entry, resolved or open")
def show_entry(request: AuthenticatedRequest, ghap_id: str) -> dict[str, Any]:
    """The entry with that id. Where a team mate has one of the same id, the user's own comes first."""
    row = listing.get(request.user, ghap_id)
    if row is None:
        raise Problem(404, "entry not found")
    judgement = (None, []) if isinstance(row, OpenEntry) else (row.quality_score, row.quality_reasons)
    return entry_out(row) | {"entry": row.body, "quality_score": judgement[0], "quality_reasons": judgement[1]}


def entry_out(row: Entry | OpenEntry) -> dict[str, Any]:
    """Return the fields of EntryOut."""
    shared = {
        "id": row.ghap_id,
        "user": row.user.get_username(),
        "project": row.project.key if row.project else None,
        **{name: getattr(row, name) for name in ("domain", "strategy", "goal", "agent_session", "created_at")},
    }
    if isinstance(row, OpenEntry):
        entry = row.entry
        return shared | {
            "status": listing.OPEN,
            "session_id": entry.session_id,
            "iteration_count": entry.iteration_count,
            "captured_at": None,
            "tier": None,
            "collector_tier": None,
            "page": reverse("ghap-open-entry", args=[row.pk]),
        }
    return shared | {
        "status": row.outcome_status,
        "session_id": row.session_id,
        "iteration_count": row.iteration_count,
        "captured_at": row.captured_at,
        "tier": row.confidence_tier or None,
        "collector_tier": row.collector_tier or None,
        "page": reverse("ghap-entry", args=[row.pk]),
    }
