"""Querysets whose statement is made once, for the few that every search runs.

Django makes the text of a statement again at each use. For one with a dozen annotations that takes longer than Postgres
needs to answer it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, router
from django.db.models import QuerySet

IDS = -8_000_000_000_000_000_001
"""Stands for a list of numbers, as in `filter(pk__in=[IDS])`; each use takes any number of them."""

TIME = datetime(1, 1, 1, 1, 1, 1, 1, tzinfo=UTC)
"""Stands for a time."""

_STANDS_FOR = {"ids": IDS, "time": TIME}


class CompiledRows:
    """Rows of the queryset that `build` returns, one of `values_list`, in which IDS and TIME stand for parameters.

    `build` is called once, at the first use, so it must depend on nothing else that changes, settings among them. The
    queryset uses IDS once, and TIME as often as it likes.
    """

    def __init__(self, build: Callable[[], QuerySet[Any, Any]]) -> None:
        self._build = build

    def rows(self, *, ids: Sequence[int], time: datetime | None = None) -> list[tuple[Any, ...]]:
        """Run the statement where the queryset would, and return its rows as it would."""
        sql, fixed, places, compiler = self._compiled
        connection = connections[router.db_for_read(compiler.query.model)]
        given = {"ids": list(ids), "time": time}
        parameters = list(fixed)
        for name, at in places.items():
            for place in at:
                parameters[place] = given[name]
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            found = cursor.fetchall()
        converters = compiler.get_converters([column for column, *_ in compiler.select])
        return [tuple(row) for row in compiler.apply_converters(found, converters)] if converters else found

    @cached_property
    def _compiled(self) -> tuple[str, Sequence[Any], Mapping[str, Sequence[int]], Any]:
        """The statement, its parameters, the places of those that are given at each use, and Django's compiler."""
        compiler = self._build().query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        places = {
            name: [place for place, value in enumerate(parameters) if value == stand]
            for name, stand in _STANDS_FOR.items()
        }
        if len(places["ids"]) != 1:
            raise ValueError("the queryset must use IDS once")
        return _with_any(sql, places["ids"][0]), parameters, places, compiler


def _with_any(sql: str, place: int) -> str:
    """Return `sql` with `= ANY(%s)` for the `IN (%s)` of the parameter at `place`. Raises ValueError."""
    parts = sql.split("%s")
    before, after = "%s".join(parts[: place + 1]), "%s".join(parts[place + 1 :])
    if not (before.endswith(" IN (") and after.startswith(")")):
        raise ValueError("IDS must be the only element of an __in")
    return f"{before.removesuffix('IN (')}= ANY(%s{after}"
