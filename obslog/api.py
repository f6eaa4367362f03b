"""API of the observation log. `GET /observations` is the agents' tool `observation_query`."""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Literal

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from ninja import Body, Field, Query, Router, Schema
from pydantic import ConfigDict, Discriminator, SkipValidation, Tag, ValidationError

from memoryserver.accounts.auth import AuthenticatedRequest
from memoryserver.accounts.models import User
from memoryserver.problems import Problem
from obslog import log
from obslog.cursor import Order
from obslog.errors import InvalidObservationError, InvalidQueryError, TakenError
from obslog.format import MIN_CHARS, Mode, fitting, format_observations
from obslog.incoming import NewObservation
from obslog.query import Filter

router = Router(tags=["observation log"])


class NewObservationIn(Schema):
    """An observation to append.

    `id` is a UUIDv7, `created_at` the Unix milliseconds in it; each follows from the other, and without both it is
    now. With an id it can be sent again without harm.
    """

    model_config = ConfigDict(extra="forbid")

    type: str
    source: str
    message: str
    details: str | None = None
    data: Any = None
    scope_ids: list[str] = []
    created_at: int | None = None
    id: uuid.UUID | None = None
    user: str | None = Field(None, description="the token's user; no other is taken")


class ObservationBatch(Schema):
    """Observations to append, each by itself: a refused one holds up no other."""

    model_config = ConfigDict(extra="forbid")

    observations: list[SkipValidation[NewObservationIn]] = Field(min_length=1, max_length=log.MAX_BATCH)


OneOrBatch = Annotated[
    Annotated[NewObservationIn, Tag("observation")] | Annotated[ObservationBatch, Tag("batch")],
    Discriminator(lambda body: "batch" if isinstance(body, dict) and "observations" in body else "observation"),
]


class ObservationReceipt(Schema):
    """What became of an observation: `stored`, `unchanged` where one of that id was there, or `refused`."""

    id: uuid.UUID | None
    status: Literal["stored", "unchanged", "refused"]
    reason: str | None = None


class ObservationReceipts(Schema):
    """What became of each observation, in the order sent."""

    results: list[ObservationReceipt]


class ObservationOut(Schema):
    """An observation of the log."""

    id: uuid.UUID
    type: str
    source: str
    message: str
    details: str | None
    data: Any
    scope_ids: list[str]
    created_at: int


class Observations(Schema):
    """Observations, and the cursor with which to ask for what this answer does not have: at once if `more`."""

    observations: list[ObservationOut]
    cursor: str
    more: bool


class _Query(Schema):
    type: str | None = None
    source: str | None = Field(None, description="a prefix; % and _ mean themselves")
    scope_ids: list[str] = Field([], description="about any of these")
    after_date: int | None = Field(None, description="from then on, Unix milliseconds")
    before_date: int | None = Field(None, description="before then, Unix milliseconds")
    order: Order = Field("asc", description="asc: oldest first")
    mode: Mode | None = Field(None, description="answers with text for a model's context in place of JSON")
    max_chars: int | None = Field(
        None, ge=MIN_CHARS, description="with a mode: cuts whole entries, and says how many were left out"
    )

    def filter(self) -> Filter:
        """The same for the log."""
        return Filter(self.type, self.source, self.scope_ids, self.after_date, self.before_date)


class ObservationQuery(_Query):
    """What to look for."""

    limit: int = Field(log.QUERY_LIMIT, description=f"1 to {log.MAX_LIMIT}")
    offset: int = 0
    cursor: str | None = Field(None, description="that of the last answer: what that one did not have")


class RecentQuery(_Query):
    """What to look for among the newest."""

    limit: int = Field(log.RECENT_LIMIT, description=f"1 to {log.MAX_LIMIT}")


@router.post("", response=ObservationReceipts | ObservationReceipt, exclude_none=True, summary="Append observations")
def append(request: AuthenticatedRequest, new: Annotated[OneOrBatch, Body()]) -> Any:
    """One, which is refused with an error if it is not valid, or a batch of up to 500, with a result for each.

    Idempotent by id.
    """
    if isinstance(new, ObservationBatch):
        return {"results": _append_batch(request.user, new.observations)}
    _check_user(request.user, new)
    try:
        return log.append(request.user, _new(new))
    except TakenError as error:
        raise Problem(409, str(error)) from error
    except InvalidObservationError as error:
        raise Problem(422, str(error)) from error


@router.get("", response=Observations, operation_id="observation_query", summary="Ask the log, or follow it")
def find(request: AuthenticatedRequest, query: Annotated[ObservationQuery, Query()]) -> Any:
    """Oldest first. To follow, ask again with the cursor of the last answer.

    With `mode` the cursor is in the header `Observations-Cursor`, and `Observations-More`, `Observations-Count` and
    `Observations-Left-Out` say if there is more, how many entries the text has and how many `max_chars` cut.
    """
    try:
        page = log.find_many(
            request.user,
            query.filter(),
            limit=query.limit,
            offset=query.offset,
            order=query.order,
            cursor=query.cursor,
        )
    except InvalidQueryError as error:
        raise Problem(422, str(error)) from error
    return _answer(page, query)


@router.get("/recent", response=Observations, operation_id="observation_recent", summary="The newest observations")
def find_recent(request: AuthenticatedRequest, query: Annotated[RecentQuery, Query()]) -> Any:
    """The newest, among themselves oldest first. The cursor is for `GET /observations`, to follow from here."""
    try:
        page = log.find_recent(request.user, query.filter(), limit=query.limit, order=query.order)
    except InvalidQueryError as error:
        raise Problem(422, str(error)) from error
    return _answer(page, query)


def _append_batch(user: User, items: list[Any]) -> list[log.Receipt]:
    results: list[log.Receipt | None] = []
    valid = []
    for item in items:
        try:
            new = NewObservationIn.model_validate(item)
            _check_user(user, new)
        except (ValidationError, PermissionDenied) as error:
            results.append(log.Receipt(None, "refused", _reason(error)))
        else:
            valid.append(_new(new))
            results.append(None)
    stored = iter(log.append_all(user, valid))
    return [result or next(stored) for result in results]


def _new(new: NewObservationIn) -> NewObservation:
    return NewObservation(
        new.type, new.source, new.message, new.details, new.data, new.scope_ids, new.created_at, new.id
    )


def _check_user(user: User, new: NewObservationIn) -> None:
    if new.user not in (None, user.get_username()):
        raise PermissionDenied("observations can be appended in the name of the token's own user alone")


def _reason(error: ValidationError | PermissionDenied) -> str:
    if isinstance(error, PermissionDenied):
        return str(error)
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or "observation"
    return f"{where}: {first['msg']}"


def _answer(page: log.Page, query: _Query) -> log.Page | HttpResponse:
    if query.mode is None:
        if query.max_chars is not None:
            raise Problem(422, "max_chars is for the text modes; give a mode too")
        return page
    count = len(page.picked) if query.max_chars is None else fitting(page.picked, query.mode, query.max_chars)
    shown, left_out = page.first(count), len(page.picked) - count
    return HttpResponse(
        format_observations(shown.observations, query.mode, left_out=left_out),
        content_type="text/plain; charset=utf-8",
        headers={
            "Observations-Count": str(len(shown.picked)),
            "Observations-Cursor": shown.cursor,
            "Observations-More": "true" if shown.more else "false",
            "Observations-Left-Out": str(left_out),
        },
    )
