"""Records beside an answer: who asked what, and how often something was used."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, transaction

_NOT_WAITING = "SELECT set_config('synchronous_commit', 'off', true);"


def write(statement: str, parameters: Sequence[Any] | Mapping[str, Any]) -> None:
    """Run `statement`, a transaction by itself in one round trip, without waiting for the disk.

    So what it writes may be lost if Postgres crashes within the second. In a caller's transaction it has a savepoint.
    Raises DatabaseError, after which the caller can go on.
    """
    within = transaction.atomic() if connection.in_atomic_block else contextlib.nullcontext()
    with within, connection.cursor() as cursor:
        cursor.execute(statement if connection.in_atomic_block else _NOT_WAITING + statement, parameters)
