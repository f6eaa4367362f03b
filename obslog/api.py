"""API of the observation log. `GET /observations` is the agents' tool `observation_query`."""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Literal

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from ninja import Body, Field, Query, Router, Schema
from pydantic import ConfigDict, Discriminator, SkipValidation, Tag, ValidationError

from memoryserver.accounts.auth import INGEST, READ, AuthenticatedRequest
from memoryserver.accounts.models import User
from memoryserver.contract.document import answers_text
from memoryserver.problems import Problem
from obslog import log
from obslog.cursor import Order
from obslog.errors import IdTakenError, InvalidObservationError
from obslog.format import MIN_CHARS, Mode, fitting, format_observations
from obslog.incoming import NewObservation, from_client
from obslog.query import Filter

router = Router(tags=["observation log"])
_TEXT_TOO = answers_text("text/plain", "The export waits for a lock.")


class NewObservationIn(Schema):
    """An observation to append.

    `id` is a UUIDv7 and `created_at` the Unix milliseconds in it; each defaults to the other, or to the current time.
    With an id, sending it again is safe. If the time cannot be right, the observation counts from its arrival and gets
    another id; the one that was sent still names it.
    """

    model_config = ConfigDict(extra="forbid")

    type: str
    source: str = Field(description="category:identifier; the category `system` is the server's own and refused")
    message: str
    details: str | None = None
    data: Any = None
    scope_ids: list[str] = []
    created_at: int | None = None
    id: uuid.UUID | None = None
    user: str | None = Field(None, description="must be the token's user")


class ObservationBatch(Schema):
    """Observations to append independently: a refused one does not affect the others."""

    model_config = ConfigDict(extra="forbid")

    observations: list[SkipValidation[NewObservationIn]] = Field(min_length=1, max_length=log.MAX_BATCH)


OneOrBatch = Annotated[
    Annotated[NewObservationIn, Tag("observation")] | Annotated[ObservationBatch, Tag("batch")],
    Discriminator(lambda body: "batch" if isinstance(body, dict) and "observations" in body else "observation"),
]


class ObservationReceipt(Schema):
    """The result for an observation: `stored`, `unchanged` if its id was already stored, or `refused`."""

    id: uuid.UUID | None = None
    status: Literal["stored", "unchanged", "refused"]
    reason: str | None = None


class ObservationReceipts(Schema):
    """The result for each observation, in the order sent."""

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
    reported_at: int | None = Field(
        description="the time that was sent, where it cannot be right; `created_at` is then the time of arrival"
    )


class Observations(Schema):
    """Observations, and the cursor for what follows this response; `more` if something follows already."""

    observations: list[ObservationOut]
    cursor: str
    more: bool


class _Query(Schema):
    type: str | None = None
    source: str | None = Field(None, description="a prefix; % and _ are literal")
    scope_ids: list[str] = Field([], description="any of these")
    after_date: int | None = Field(None, description="inclusive, Unix milliseconds")
    before_date: int | None = Field(None, description="exclusive, Unix milliseconds")
    order: Order = Field("asc", description="asc: oldest first")
    mode: Mode | None = Field(None, description="respond with text for a model's context instead of JSON")
    max_chars: int | None = Field(
        None, ge=MIN_CHARS, description="with a mode: leaves out whole entries and reports how many"
    )

    def filter(self) -> Filter:
        """Return the filter for the log."""
        return Filter(self.type, self.source, self.scope_ids, self.after_date, self.before_date)


class ObservationQuery(_Query):
    """Filters and page."""

    limit: int = Field(log.QUERY_LIMIT, description=f"1 to {log.MAX_LIMIT}")
    offset: int = 0
    cursor: str | None = Field(None, description="of the previous response, for what follows it")


class RecentQuery(_Query):
    """Filters of the newest observations."""

    limit: int = Field(log.RECENT_LIMIT, description=f"1 to {log.MAX_LIMIT}")


@router.post(
    "", auth=INGEST, response=ObservationReceipts | ObservationReceipt, exclude_none=True, summary="Append observations"
)
def append(request: AuthenticatedRequest, new: Annotated[OneOrBatch, Body()]) -> Any:
    """Append one observation (an error if it is invalid) or up to 500 (a result for each). Idempotent by id."""
    if isinstance(new, ObservationBatch):
        return {"results": _append_batch(request.user, new.observations)}
    _check_user(request.user, new)
    try:
        return log.append(request.user, from_client(_new(new)))
    except IdTakenError as error:
        raise Problem(409, str(error)) from error


@router.get(
    "",
    auth=READ,
    response=Observations,
    operation_id="observation_query",
    summary="Query or follow the log",
    openapi_extra=_TEXT_TOO,
)
def find(request: AuthenticatedRequest, query: Annotated[ObservationQuery, Query()]) -> Any:
    """Oldest first. To follow the log, repeat the query with the cursor of the previous response.

    With `mode` the cursor is in the header `Observations-Cursor`; `Observations-More`, `Observations-Count` and
    `Observations-Left-Out` tell if there is more, the number of entries, and how many `max_chars` left out.
    """
    page = log.find_many(
        request.user,
        query.filter(),
        limit=query.limit,
        offset=query.offset,
        order=query.order,
        cursor=query.cursor,
    )
    return _respond(page, query)


@router.get(
    "/recent",
    auth=READ,
    response=Observations,
    operation_id="observation_recent",
    summary="The newest observations",
    openapi_extra=_TEXT_TOO,
)
def find_recent(request: AuthenticatedRequest, query: Annotated[RecentQuery, Query()]) -> Any:
    """The newest observations, in chronological order. Use the cursor with `GET /observations` to follow the log."""
    page = log.find_recent(request.user, query.filter(), limit=query.limit, order=query.order)
    return _respond(page, query)


def _append_batch(user: User, items: list[Any]) -> list[log.Receipt]:
    results: list[log.Receipt | None] = []
    valid = []
    for item in items:
        try:
            new = NewObservationIn.model_validate(item)
            _check_user(user, new)
            valid.append(from_client(_new(new)))
            results.append(None)
        except InvalidObservationError as error:
            results.append(log.Receipt(new.id, "refused", str(error)))
        except (ValidationError, PermissionDenied) as error:
            results.append(log.Receipt(None, "refused", _reason(error)))
    receipts = iter(log.append_all(user, valid))
    return [result or next(receipts) for result in results]


def _new(new: NewObservationIn) -> NewObservation:
    return NewObservation(
        new.type, new.source, new.message, new.details, new.data, new.scope_ids, new.created_at, new.id
    )


def _check_user(user: User, new: NewObservationIn) -> None:
    if new.user not in (None, user.get_username()):
        raise PermissionDenied("observations can only be appended for the token's own user")


def _reason(error: ValidationError | PermissionDenied) -> str:
    if isinstance(error, PermissionDenied):
        return str(error)
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or "observation"
    return f"{where}: {first['msg']}"


def _respond(page: log.Page, query: _Query) -> log.Page | HttpResponse:
    if query.mode is None:
        if query.max_chars is not None:
            raise Problem(422, "max_chars requires a mode")
        return page
    count = len(page.picked) if query.max_chars is None else fitting(page.picked, query.mode, query.max_chars)
    shown_page, left_out = page.first(count), len(page.picked) - count
    return HttpResponse(
        format_observations(shown_page.observations, query.mode, left_out=left_out),
        content_type="text/plain; charset=utf-8",
        headers={
            "Observations-Count": str(len(shown_page.picked)),
            "Observations-Cursor": shown_page.cursor,
            "Observations-More": "true" if shown_page.more else "false",
            "Observations-Left-Out": str(left_out),
        },
    )
