"""API endpoint that says what an id names."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from ninja import Field, Query, Router, Schema

from memoryserver.accounts.auth import READ, AuthenticatedRequest
from memoryserver.common.text import one_line, shorten
from memoryserver.search import lookup

router = Router(tags=["search"])
_MAX_TITLE = 300  # characters


class LookupQuery(Schema):
    """The id, its beginning, SOURCE/ID, or the address of a page of this server."""

    id: str = Field(
        min_length=1,
        max_length=lookup.MAX_WORD,
        description="an id of an entry, learning, observation or session, its beginning, or a page's address",
        examples=["ghap_20261120_143022_a1b2c3", "learnings/12", "/entries/7/"],
    )


class MatchOut(Schema):
    """What the id names. `kind` is `entry`, `learning`, `observation` or `session`; `page` is the path of its page.

    `id` reads it: entries, learnings and observations at `/memory`, sessions at `/trajectory/sessions/{id}/assessment`.
    """

    kind: str
    id: str = Field(examples=["ghap/ghap_20261120_143022_a1b2c3"])
    title: str
    user: str
    project: str | None
    created_at: datetime | None
    page: str = Field(examples=["/entries/7/"])


class LookupOut(Schema):
    """The matches, the user's own first; none if nothing that the token's user may see has such an id."""

    matches: list[MatchOut]
    more: bool


@router.get("/lookup", auth=READ, response=LookupOut, operation_id="lookup", summary="Find out what an id names")
def look_up(request: AuthenticatedRequest, query: Annotated[LookupQuery, Query()]) -> dict[str, Any]:
    """Entries, learnings, observations and sessions that the token's user may see, by an id or its beginning."""
    found = lookup.look_up(request.user, query.id)
    return {"matches": [_match(match) for match in found.matches], "more": found.more}


def _match(match: lookup.Match) -> dict[str, Any]:
    fields = ("kind", "id", "user", "project", "created_at", "page")
    return {name: getattr(match, name) for name in fields} | {"title": shorten(one_line(match.title), _MAX_TITLE)}
