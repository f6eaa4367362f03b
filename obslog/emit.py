"""The server's own story: how other rooms write to the log."""

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
    type: str,  # noqa: A002  (the log's own word)
    source: str,
    message: str,
    details: str | None = None,
    data: Any = None,
    scope_ids: Iterable[str] = (),
) -> None:
    """Append an observation of the server's own, now, within the caller's transaction: both hold, or neither.

    `user` is whom it concerns, who can then ask for it. None is for what concerns the server alone (retention,
    partitions, jobs, alerts): such an observation has no user, so that no made-up account is among the people,
    and only administrators see it, in the admin.

    What is told never breaks what is being done: a message, details or a scope id that is too long is cut, scope
    ids beyond the limit and empty ones are dropped, and data that cannot be kept is named in its place. `type`
    and `source` are the caller's own words, and a wrong one raises InvalidObservationError.
    """
    log.append(
        user,
        NewObservation(
            type=type,
            source=source,
            message=shorten(one_line(message), MAX_MESSAGE) or type,
            details=None if details is None else shorten(clean(details), MAX_DETAILS),
            data=_keepable(data),
            scope_ids=[shorten(clean(scope_id), MAX_SCOPE) for scope_id in scope_ids if scope_id][:MAX_SCOPES],
        ),
    )


def _keepable(data: Any) -> Any:
    try:
        data_text(data)
    except InvalidObservationError as error:
        return {"left_out": str(error)}
    return data
