"""API of search."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from ninja import Field, Query, Router, Schema

from memoryserver.accounts.auth import AuthenticatedRequest
from memoryserver.common.text import shorten
from memoryserver.problems import Problem
from memoryserver.search import service

router = Router(tags=["search"])
_TITLE = 160  # characters that are left of a title at least


class SearchQuery(Schema):
    """What is sought. `source` is `ghap`, `learnings` or `observations`, `project` a project's key.

    What is left out narrows nothing, but that observations of the log are found only where they are asked for.

    `since` (inclusive) and `until` (exclusive) are dates, times (UTC unless they say otherwise) or ages such as `7d`.
    `domain`, `strategy`, `outcome` and `tier` are of journal entries, `type` of learnings and observations;
    `log_source`, what their source begins with, of observations.
    """

    q: str
    mode: str = "hybrid"
    source: str | None = None
    axis: str | None = None
    project: str | None = None
    user: str | None = None
    team: str | None = None
    since: str | None = None
    until: str | None = None
    domain: str | None = None
    strategy: str | None = None
    outcome: str | None = None
    tier: str | None = None
    type: str | None = None
    log_source: str | None = None
    limit: int = 10
    offset: int = 0
    chars: int | None = Field(None, ge=0, description="cuts each text to so many characters: an index to read from")


_OF_SOURCES = ("domain", "strategy", "outcome", "tier", "type", "log_source")


class HitOut(Schema):
    """One found thing; the ranks say its place by meaning and by words.

    `id` is that to read it by at `/memory`, where it has `size` characters.
    """

    id: str
    source: str
    axis: str
    key: str
    kind: str
    title: str
    text: str
    size: int
    user: str
    project: str | None
    created_at: datetime
    origin: dict[str, str]
    score: float
    semantic_rank: int | None
    lexical_rank: int | None


class AnswerOut(Schema):
    """Hits, best first. `note` is set where the mode is not the one asked for; `next_offset` is null at the end."""

    mode: service.Mode
    note: str | None
    found: int
    next_offset: int | None
    hits: list[HitOut]


@router.get("", response=AnswerOut, summary="Search entries and learnings")
def find(request: AuthenticatedRequest, query: Annotated[SearchQuery, Query()]) -> Any:
    """By meaning and by words, of what the token's user may see."""
    asked = query.dict()
    filters = {name: asked.pop(name) for name in _OF_SOURCES}
    given = {name: value for name, value in filters.items() if value is not None}
    chars = asked.pop("chars")
    try:
        answer = service.search(request.user, service.Search(query=asked.pop("q"), filters=given, **asked))
    except service.InvalidSearchError as error:
        raise Problem(422, str(error)) from error
    return answer if chars is None else replace(answer, hits=[_cut(hit, chars) for hit in answer.hits])


def _cut(hit: service.Hit, chars: int) -> service.Hit:
    return replace(hit, title=shorten(hit.title, max(chars, _TITLE)), text=shorten(hit.text, chars))
