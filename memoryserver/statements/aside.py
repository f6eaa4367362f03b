"""Records beside an answer: who asked what, and how often something was used."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from django.db import connection, transaction

_Statement = tuple[str, Sequence[Any] | Mapping[str, Any]]

_waiting: ContextVar[list[_Statement] | None] = ContextVar("statements of `together`", default=None)

_NOT_WAITING = "SELECT set_config('synchronous_commit', 'off', true);"


def write(statement: str, parameters: Sequence[Any] | Mapping[str, Any]) -> None:
    """Run `statement`, a transaction by itself in one round trip, without waiting for the disk.

    So what it writes may be lost if Postgres crashes within the second. In a caller's transaction it has a savepoint.
    Raises DatabaseError, after which the caller can go on.
    """
    waiting = _waiting.get()
    if waiting is None:
        _send([(statement, parameters)])
    else:
        waiting.append((statement, parameters))


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Run what is written within at the end, in one transaction and one round trip.

    There DatabaseError is raised, and nothing of it is written, if a statement fails.
    """
    waiting: list[_Statement] = []
    token = _waiting.set(waiting)
    try:
        yield
    finally:
        _waiting.reset(token)
    if waiting:
        _send(waiting)


def _send(statements: Sequence[_Statement]) -> None:
    within = transaction.atomic() if connection.in_atomic_block else contextlib.nullcontext()
    with within, connection.cursor() as cursor:
        text = ";".join(cursor.mogrify(*each) for each in statements)
        cursor.execute(text if connection.in_atomic_block else _NOT_WAITING + text)
