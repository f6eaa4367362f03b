"""API endpoint of search."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Field, Query, Router, Schema
from pydantic import BaseModel, ConfigDict

from memoryserver.accounts.auth import READ, AuthenticatedRequest
from memoryserver.common.text import shorten
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import note
from memoryserver.keyset import refuse_offset
from memoryserver.middleware.afterwards import after_answer
from memoryserver.problems import Problem
from memoryserver.search import cursors, service, timing
from memoryserver.search.service import Search

router = Router(tags=["search"])
_MIN_TITLE = 160  # a title is not cut shorter than this many characters


class SearchQuery(Schema):
    """The query and its filters. `source` is `ghap`, `learnings` or `observations`, `project` a project's key.

    `here` is the key of the project asked from, whose results come first if they are half as good as others.

    Observations are searched only if `source`, `axis` or `log_source` selects them.

    `since` (inclusive) and `until` (exclusive) are dates, times (UTC by default) or ages such as `7d`. `domain`,
    `strategy`, `outcome` and `tier` filter journal entries, `type` learnings and observations, `log_source` (a prefix
    of the source) observations.

    A response is counted as a use of its hits, unless `counted` is false: for one that reaches nobody.
    """

    q: str
    mode: str = Search.mode
    source: str | None = None
    axis: str | None = None
    project: str | None = None
    here: str | None = None
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
    cursor: str = ""
    chars: int | None = Field(None, ge=0, description="maximum length of each text, in characters")
    counted: bool = True


_NO_FILTERS = {"q", "chars", "cursor", "counted", *(field.name for field in fields(Search))}
_FILTERS = [name for name in SearchQuery.model_fields if name not in _NO_FILTERS]


class _Out(BaseModel):
    """What pydantic reads by itself: through a Schema of ninja, ten hits cost a tenth of the web process' time."""

    model_config = ConfigDict(from_attributes=True)


class HitOut(_Out):
    """One result with its semantic and lexical rank.

    `id` identifies it at `/memory`, which returns the full text of `size` characters. `page` is the path of its page,
    blank if it has none. `words` are the query's words that the text has, rarest first; `same` are the ids of
    near-equal results, which are folded into this one. `mine` is whether the token's user stored it.
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
    mine: bool
    project: str | None
    created_at: datetime
    origin: dict[str, str]
    score: float
    semantic_rank: int | None
    lexical_rank: int | None
    words: list[str]
    same: list[str]


class AnswerOut(_Out):
    """Hits, best first.

    `found` is the number of results, near-equal ones counted as one; `before` of them are on the pages before this one,
    and `folded` is how many are folded into others. `note` is set if another mode than the requested one was used;
    `next_cursor` is null at the end.
    """

    mode: service.Mode
    note: str | None
    found: int
    folded: int
    before: int
    next_cursor: str | None
    next_offset: None = Field(None, deprecated=True, description="always null; clients up to 0.1 read it")
    hits: list[HitOut]


@router.get("", auth=READ, response=AnswerOut, summary="Search entries and learnings")
def find(request: AuthenticatedRequest, response: HttpResponse, query: Annotated[SearchQuery, Query()]) -> Any:
    """Semantic and lexical search over what the token's user may see.

    The header Server-Timing has the milliseconds of embedding the query (`embed`), of the part of it in which the model
    computed (`model`), of ranking (`rank`), of the second look at the first results (`tokens`, `turns`, `rerank`, where
    there is one) and of the `rest`.
    """
    refuse_offset(request.GET)
    params = query.dict()
    values = {name: params.pop(name) for name in _FILTERS}
    filters = {name: value for name, value in values.items() if value is not None}
    chars, cursor, counted = params.pop("chars"), params.pop("cursor"), params.pop("counted")
    criteria = Search(query=params.pop("q"), filters=filters, **params)
    criteria = replace(criteria, offset=cursors.position_of(criteria, cursor))
    try:
        answer = service.search(request.user, criteria)
    except service.InvalidSearchError as error:
        extra = {"errors": [{"where": error.where, "what": "unknown"}]} if error.where else {}
        raise Problem(422, str(error), **extra) from error
    if counted:
        after_answer(request, partial(_note, request, query, answer))
    response[timing.HEADER] = timing.header(answer.timing)
    end = answer.next_offset
    return {
        **{name: getattr(answer, name) for name in ("mode", "note", "found", "folded")},
        "before": criteria.offset,
        "next_cursor": None if end is None else cursors.encode(criteria, end),
        "hits": answer.hits if chars is None else [_shorten(hit, chars) for hit in answer.hits],
    }


def _note(request: AuthenticatedRequest, query: SearchQuery, answer: service.Answer) -> None:
    ids, about = [hit.id for hit in answer.hits], query.project or query.here
    note(request, Inquiry.Kind.SEARCH, words=query.q, found=answer.found, project=about, documents=ids)


def _shorten(hit: service.Hit, chars: int) -> service.Hit:
    return replace(hit, title=shorten(hit.title, max(chars, _MIN_TITLE)), text=shorten(hit.text, chars))
