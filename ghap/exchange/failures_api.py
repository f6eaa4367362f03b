"""API of failures that come back: list them, show one with what helped, and say whether it is known or solved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from django.urls import reverse
from ninja import Field, Query, Router, Schema
from pydantic import ConfigDict

from ghap.exchange.api import EntriesOut, entry_out
from ghap.exchange.parameters import project_key
from ghap.models import Failure
from ghap.recurring import changes, queries
from ghap.recurring.queries import SeenFailure
from memoryserver.accounts.auth import MANAGE, READ, AuthenticatedRequest

router = Router(tags=["ghap"])

PAGE, MAX_PAGE = 20, 100
UNSOLVED = "unsolved"
State = Literal["open", "known", "solved", "regressed"]


class FailuresQuery(Schema):
    """Filters and page; `project` is a project's key."""

    project: str | None = None
    state: Literal["open", "known", "solved", "regressed", "unsolved"] | None = Field(
        None, description="only failures in this state; `unsolved` are all but the solved ones", examples=["unsolved"]
    )
    sort: Literal["recent", "frequent"] = Field(
        "recent", description="`recent`: the last seen first; `frequent`: those with most entries first"
    )
    limit: int = Field(PAGE, ge=1, le=MAX_PAGE)
    cursor: str = ""


class FailureOut(Schema):
    """Something that failed in the same way several times. A recount finds failures each night."""

    id: int = Field(description="the failure's id", examples=[7])
    title: str = Field(
        description="its name, or without one the goal of its most central entry",
        examples=["Webhook signatures over a re-serialised body"],
    )
    name: str = Field(description="what a person called it; empty if nobody did", examples=["Webhook signatures"])
    state: State = Field(description="open, known, solved, or regressed: solved and seen again", examples=["known"])
    state_since: datetime = Field(description="since when it is in that state")
    state_by: str | None = Field(description="who said so; null for a recount", examples=["ada"])
    project: str | None
    user: str | None = Field(
        description="whose failure it is; null for one of a team's project, which is everybody's", examples=["ada"]
    )
    size: int = Field(description="how many entries it has", examples=[4])
    terms: list[str] = Field(description="words that mark it", examples=[["signature", "body"]])
    first_seen: datetime = Field(description="when its first entry was resolved")
    last_seen: datetime = Field(description="when its last entry was resolved")
    weeks: list[int] = Field(
        description="its entries in each of the last 12 calendar weeks, the present one last",
        examples=[[0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1]],
    )
    surprise: str = Field(description="what surprised in its most central entry", examples=["The parser re-ordered it"])
    cause: str = Field(description="why it failed, of the same entry", examples=["The signature is over raw bytes"])
    page: str = Field(description="the address of its page", examples=["/failures/7/"])


class Helped(Schema):
    """What one of its entries says helped."""

    entry: str = Field(description="the id of the entry", examples=["ghap_20260115_140500_a1b2c3"])
    user: str
    text: str = Field(description="the lesson of that entry", examples=["Verify signatures over the raw body."])


class FailureDetail(FailureOut):
    """A failure with what helped. Its entries are at `/ghap/failures/{id}/entries`."""

    gone: bool = Field(description="whether the last recount did not find it any more", examples=[False])
    continued_in: int | None = Field(
        description="the failure that has most of its entries now; null if there is none", examples=[None]
    )
    helped: list[Helped] = Field(description="what its entries say helped, the latest first, at most ten")


class RecurringFailures(Schema):
    """Failures; `next_cursor` is null at the end."""

    failures: list[FailureOut] = Field(description="the failures of this page")
    next_cursor: str | None


class FailureChange(Schema):
    """What to change; what is left out stays as it is."""

    model_config = ConfigDict(extra="forbid")

    name: str | None = Field(
        None, max_length=changes.MAX_NAME, description='its new name; "" takes the name away', examples=["Stale cache"]
    )
    state: Literal["open", "known", "solved"] | None = Field(
        None, description="its new state; a solved one becomes regressed when it is seen again", examples=["solved"]
    )


@router.get("/failures", auth=READ, response=RecurringFailures, summary="List failures that come back")
def list_failures(request: AuthenticatedRequest, query: Annotated[FailuresQuery, Query()]) -> dict[str, Any]:
    """The failures all of whose entries the token's user may see, without those that the last recount did not find."""
    page = queries.find(
        request.user,
        states=_states(query.state),
        project=project_key(request.user, query.project),
        sort=query.sort,
        limit=query.limit,
        cursor=query.cursor,
    )
    weeks = queries.weeks([row.key for row in page.failures])
    return {"failures": [_out(row, weeks[row.key]) for row in page.failures], "next_cursor": page.next_cursor}


@router.get("/failures/{int:key}", auth=READ, response=FailureDetail, summary="One failure with what helped")
def show_failure(request: AuthenticatedRequest, key: int) -> dict[str, Any]:
    """A failure that the last recount did not find any more is shown too, with the one that continues it."""
    return _detail(request, key)


@router.get("/failures/{int:key}/entries", auth=READ, response=EntriesOut, summary="The entries of a failure")
def list_entries_of_failure(
    request: AuthenticatedRequest, key: int, limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = PAGE, cursor: str = ""
) -> dict[str, Any]:
    """The latest first."""
    page = queries.members(queries.row_of(request.user, key), limit=limit, cursor=cursor)
    return {"entries": [entry_out(row) for row in page.entries], "next_cursor": page.next_cursor}


@router.patch("/failures/{int:key}", auth=MANAGE, response=FailureDetail, summary="Name a failure or set its state")
def change_failure(request: AuthenticatedRequest, key: int, body: FailureChange) -> dict[str, Any]:
    """Everybody who sees a failure may. The change is in the observation log, with who made it."""
    changes.change(request.user, key, name=body.name, state=body.state)
    return _detail(request, key)


def _states(state: str | None) -> Sequence[str]:
    if state == UNSOLVED:
        return [value for value in Failure.State.values if value != Failure.State.SOLVED]
    return [] if state is None else [state]


def _out(row: SeenFailure, weeks: Sequence[int]) -> dict[str, Any]:
    """Return the fields of FailureOut."""
    own = ("title", "name", "state", "state_since", "project", "user", "size", "first_seen", "last_seen", "cause")
    return {
        "id": row.key,
        **{name: getattr(row, name) for name in own},
        "state_by": row.state_by or None,
        "terms": list(row.terms),
        "weeks": list(weeks),
        "surprise": row.surprise,
        "page": reverse("ghap-failure", args=[row.key]),
    }


def _detail(request: AuthenticatedRequest, key: int) -> dict[str, Any]:
    stored = queries.row_of(request.user, key)
    row, helped = queries.described(stored), queries.what_helped(stored)
    return _out(row, queries.weeks([key])[key]) | {
        "gone": row.gone,
        "continued_in": row.continued_in,
        "helped": [{"entry": entry.ghap_id, "user": entry.user.get_username(), "text": text} for entry, text in helped],
    }
