"""How an error that says that the database cannot be reached, or cannot store anything, is told from other errors."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from django.db import InterfaceError, OperationalError

# The server ends the connection, is starting or stopping, or has no connection left.
_ENDED = {"57P01", "57P02", "57P03", "57P05", "53300"}
_CONNECTION_EXCEPTIONS = "08"
_CANNOT_STORE = {
    "53100": "the disk of the database is full",
    "25006": "the database takes no writes: it is read-only",
}


def is_outage(error: BaseException | None) -> bool:
    """Return whether `error`, or what it came from, says that the database cannot be reached or cannot store anything.

    No request is at fault then, and each may succeed later.
    """
    return cannot_store(error) != "" or any(_is_of_connection(each) for each in _with_causes(error))


def cannot_store(error: BaseException | None) -> str:
    """Return why the database stores nothing though it can be reached, as `error` says; "" if it is about another."""
    states = (getattr(each, "sqlstate", None) for each in _with_causes(error))
    return next((_CANNOT_STORE[state] for state in states if state in _CANNOT_STORE), "")


def reason_of(error: BaseException | None) -> str:
    """Return the first line of the text of an error; what follows in the driver's are hints and further attempts."""
    return str(error or "").strip().partition("\n")[0][:200]


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _is_of_connection(error: BaseException) -> bool:
    """Return whether an error of the driver, or Django's own without one, is about the connection."""
    driver = sys.modules.get("psycopg")  # the embedding process logs too, and saves the driver's 13 MB
    if driver is not None and isinstance(error, driver.OperationalError | driver.InterfaceError):
        state: str | None = error.sqlstate  # None where the server has not answered
        return state is None or state in _ENDED or state.startswith(_CONNECTION_EXCEPTIONS)
    return isinstance(error, OperationalError | InterfaceError) and error.__cause__ is None
