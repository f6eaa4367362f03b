"""API of the review: contradictions between learnings, and the decisions on them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from ninja import Query, Router, Schema
from pydantic import ConfigDict

from capture.models import Contradiction, Learning
from capture.review import contradictions
from capture.review.contradictions import AlreadyDecidedError, Keep, State
from memoryserver.accounts.auth import MANAGE, READ, AuthenticatedRequest
from memoryserver.accounts.projects import asked_key
from memoryserver.problems import Problem

router = Router(tags=["learnings"])


class ContradictionsQuery(Schema):
    """`project` is a project's key; `state` is open or decided."""

    project: str = ""
    state: State = "open"
    limit: int = 30
    cursor: str = ""


class SideOut(Schema):
    """One of the two learnings."""

    id: int
    type: str
    content: str
    user: str
    source: str
    seen_count: int
    first_seen: datetime
    last_seen: datetime
    hidden: bool


class ContradictionOut(Schema):
    """Two learnings, of which the later one contradicts the earlier one.

    `reason` is rejected (the later one says that something of the earlier one does not hold), negation, value (a figure
    or name in the same place) or stated (said by who stored the later one). `decision` is what stays: earlier, later or
    both, "" while it is open. `may` lists the decisions that the token's user may take.
    """

    id: int
    project: str | None
    reason: str
    found_at: datetime
    earlier: SideOut
    later: SideOut
    decision: str
    decided_by: str | None
    decided_at: datetime | None
    may: list[Keep]


class ContradictionPage(Schema):
    """Contradictions, the latest first; `next_cursor` is null at the end."""

    contradictions: list[ContradictionOut]
    next_cursor: str | None


class DecisionIn(Schema):
    """What stays: the earlier or the later learning, so that the other one is hidden, or both."""

    model_config = ConfigDict(extra="forbid")

    keep: Keep


@router.get("", auth=READ, response=ContradictionPage, summary="Learnings that contradict each other")
def find(request: AuthenticatedRequest, query: Annotated[ContradictionsQuery, Query()]) -> Any:
    """Those both sides of which the token's user may see. A job finds them; it hides neither side."""
    page = contradictions.find(request.user, **query.dict() | {"project": asked_key(request.user, query.project)})
    return {"contradictions": [_out(request, row) for row in page.contradictions], "next_cursor": page.next_cursor}


@router.post("/{int:key}/decision", auth=MANAGE, response=ContradictionOut, summary="Decide between two learnings")
def decide(request: AuthenticatedRequest, key: int, body: DecisionIn) -> Any:
    """Hides the learning that does not stay; only for its owner or that of its project. 409 if decided otherwise."""
    try:
        row = contradictions.decide(request.user, key, body.keep)
    except AlreadyDecidedError as error:
        raise Problem(409, str(error)) from error
    row.earlier.refresh_from_db()
    row.later.refresh_from_db()
    return _out(request, row)


def _out(request: AuthenticatedRequest, row: Contradiction) -> dict[str, Any]:
    is_open = not row.decision
    return {
        "id": row.pk,
        "project": row.later.project.key if row.later.project else None,
        "reason": row.reason,
        "found_at": row.found_at,
        "earlier": _side(row.earlier),
        "later": _side(row.later),
        "decision": row.decision,
        "decided_by": str(row.decided_by) if row.decided_by else None,
        "decided_at": row.decided_at,
        "may": [
            keep for keep in contradictions.KEEPS if is_open and contradictions.may_decide(request.user, row, keep)
        ],
    }


def _side(learning: Learning) -> dict[str, Any]:
    names = ("type", "content", "source", "seen_count", "first_seen", "last_seen", "hidden")
    return {"id": learning.pk, "user": str(learning.user), **{name: getattr(learning, name) for name in names}}
