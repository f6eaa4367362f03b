"""API endpoint of search."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Field, Query, Router, Schema

from memoryserver.accounts.auth import READ, AuthenticatedRequest
from memoryserver.common.text import shorten
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import note
from memoryserver.problems import Problem
from memoryserver.search import service, timing
from memoryserver.search.service import Search

router = Router(tags=["search"])
_MIN_TITLE = 160  # a title is not cut shorter than this many characters


class SearchQuery(Schema):
    """The query and its filters. `source` is `ghap`, `learnings` or `observations`, `project` a project's key.

    Observations are searched only if `source`, `axis` or `log_source` selects them.

    `since` (inclusive) and `until` (exclusive) are dates, times (UTC by default) or ages such as `7d`. `domain`,
    `strategy`, `outcome` and `tier` filter journal entries, `type` learnings and observations, `log_source` (a prefix
    of the source) observations.
    """

    q: str
    mode: str = Search.mode
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
    limit: int = Search.limit
    offset: int = Search.offset
    chars: int | None = Field(None, ge=0, description="maximum length of each text, in characters")


_FILTERS = [name for name in SearchQuery.model_fields if name not in {"q", "chars", *(f.name for f in fields(Search))}]


class HitOut(Schema):
    """One result with its semantic and lexical rank.

    `id` identifies it at `/memory`, which returns the full text of `size` characters. `page` is the path of its page,
    blank if it has none. `words` are the query's words that the text has, rarest first; `same` are the ids of
    near-equal results, which are folded into this one.
    """

    id: str
    source: str
    axis: str
    key: str
    kind: str
    title: str
    text: str
    size: int
    page: str
    user: str
    project: str | None
    created_at: datetime
    origin: dict[str, str]
    score: float
    semantic_rank: int | None
    lexical_rank: int | None
    words: list[str]
    same: list[str]


class AnswerOut(Schema):
    """Hits, best first.

    `found` is the number of results, near-equal ones counted as one; `folded` is how many are folded into others.
    `note` is set if another mode than the requested one was used; `next_offset` is null at the end.
    """

    mode: service.Mode
    note: str | None
    found: int
    folded: int
    next_offset: int | None
    hits: list[HitOut]


@router.get("", auth=READ, response=AnswerOut, summary="Search entries and learnings")
def find(request: AuthenticatedRequest, response: HttpResponse, query: Annotated[SearchQuery, Query()]) -> Any:
    """Semantic and lexical search over what the token's user may see.

    The header Server-Timing has the milliseconds of embedding the query (`embed`), of the part of it in which the model
    computed (`model`), of ranking (`rank`) and of the `rest`.
    """
    params = query.dict()
    values = {name: params.pop(name) for name in _FILTERS}
    filters = {name: value for name, value in values.items() if value is not None}
    chars = params.pop("chars")
    try:
        answer = service.search(request.user, Search(query=params.pop("q"), filters=filters, **params))
    except service.InvalidSearchError as error:
        raise Problem(422, str(error)) from error
    note(request, Inquiry.Kind.SEARCH, words=query.q, found=answer.found, project=query.project)
    response[timing.HEADER] = timing.header(answer.timing)
    return answer if chars is None else replace(answer, hits=[_shorten(hit, chars) for hit in answer.hits])


def _shorten(hit: service.Hit, chars: int) -> service.Hit:
    return replace(hit, title=shorten(hit.title, max(chars, _MIN_TITLE)), text=shorten(hit.text, chars))
