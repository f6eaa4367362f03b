"""Appends observations of the server for other apps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memoryserver.accounts.models import User
from memoryserver.common.text import clean, one_line, shorten
from obslog import log
from obslog.errors import InvalidObservationError
from obslog.incoming import MAX_DETAILS, MAX_MESSAGE, MAX_SCOPE, MAX_SCOPES, NewObservation, data_text


def emit(
    user: User | None,
    *,
    type: str,  # noqa: A002  (the log's own term)
    source: str,
    message: str,
    details: str | None = None,
    data: Any = None,
    scope_ids: Iterable[str] = (),
    project: int | None = None,
) -> None:
    """Append an observation of the server within the caller's transaction.

    `user` is the person it concerns, who can query it. None is for events of the server itself (retention, partitions,
    jobs, alerts), which only administrators see, in the admin. `project` is the primary key of the project that it is
    about, by whose scope id `project:N` the page of the log finds it.

    Content never causes an error: a message, details or scope ids that are too long are cut, excess and empty scope ids
    are dropped, and invalid data is replaced by the reason. An invalid `type` or `source` raises
    InvalidObservationError.
    """
    about = [*([f"project:{project}"] if project else []), *scope_ids]
    log.append(
        user,
        NewObservation(
            type=type,
            source=source,
            message=shorten(one_line(message), MAX_MESSAGE) or type,
            details=None if details is None else shorten(clean(details), MAX_DETAILS),
            data=_valid_data(data),
            scope_ids=[shorten(clean(scope_id), MAX_SCOPE) for scope_id in about if scope_id][:MAX_SCOPES],
        ),
    )


def _valid_data(data: Any) -> Any:
    try:
        data_text(data)
    except InvalidObservationError as error:
        return {"left_out": str(error)}
    return data
