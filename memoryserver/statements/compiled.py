"""Querysets whose statement is made once, for the few that every search and many pages run.

Django makes the text of a statement again at each use. For one with a dozen annotations that takes longer than Postgres
needs to answer it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections, router
from django.db.models import QuerySet

IDS = -8_000_000_000_000_000_001
"""Stands for a list of numbers, as in `filter(pk__in=[IDS])`; each use takes any number of them, or a queryset."""

TIME = datetime(1, 1, 1, 1, 1, 1, 1, tzinfo=UTC)
"""Stands for a time."""

USER = -8_000_000_000_000_000_002
"""Stands for the key of a user, as in `visible_rows(rows, User(pk=USER))`."""

TEXT = "\N{OBJECT REPLACEMENT CHARACTER}text"
"""Stands for a text."""


@dataclass(frozen=True)
class _Statement:
    """The text before and after the condition on the ids, the parameters, and the places of those of each use.

    Without ids all of the text is `before`.
    """

    before: str
    after: str
    parameters: Sequence[Any]
    ids: int | None
    compiler: Any


class CompiledRows:
    """Rows of a `values_list`, the queryset that `build` returns.

    IDS, TIME, USER and TEXT stand for parameters in it: IDS at most once, the others as often as it likes. `build` is
    called once, at the first use, so it must depend on nothing else that changes, settings among them. Unless
    `is_planned_once`, the server plans the statement at each use: for one whose best plan depends on its parameters.
    """

    def __init__(self, build: Callable[[], QuerySet[Any, Any]], *, is_planned_once: bool = True) -> None:
        self._build, self._is_planned_once = build, is_planned_once

    def rows(
        self,
        *,
        ids: Sequence[int] | QuerySet[Any, Any] | None = None,
        time: datetime | None = None,
        user: int | None = None,
        text: str = "",
    ) -> list[tuple[Any, ...]]:
        """Run the statement where the queryset would, and return its rows as it would.

        A queryset of ids, which has one column, is made into a part of the statement at each use. With numbers it is
        the same statement each time, whose plan the server keeps: that of a judgement took it five times as long as
        the rest.
        """
        statement = self._statement
        given = {TIME: time, USER: user, TEXT: text}
        parameters = [given[value] if value in (TIME, USER, TEXT) else value for value in statement.parameters]
        condition = ""
        if (ids is None) != (statement.ids is None):
            raise ValueError("the queryset must use IDS once")
        if ids is not None and statement.ids is not None:
            try:
                condition, parameters[statement.ids : statement.ids + 1] = _condition(ids)
            except EmptyResultSet:  # known without asking, as of `none()`
                return []
        compiler = statement.compiler
        connection = connections[router.db_for_read(compiler.query.model)]
        cursors: Any = connection
        is_kept = self._is_planned_once and not isinstance(ids, QuerySet)
        with cursors.prepared_cursor() if is_kept else cursors.cursor() as cursor:
            cursor.execute(f"{statement.before}{condition}{statement.after}", parameters)
            found = cursor.fetchall()
        converters = compiler.get_converters([column for column, *_ in compiler.select])
        return [tuple(row) for row in compiler.apply_converters(found, converters)] if converters else found

    @cached_property
    def _statement(self) -> _Statement:
        compiler = self._build().query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        ids = [place for place, value in enumerate(parameters) if value == IDS]
        if len(ids) > 1:
            raise ValueError("the queryset must use IDS once")
        if not ids:
            return _Statement(sql, "", parameters, None, compiler)
        return _Statement(*_around(sql, ids[0]), parameters, ids[0], compiler)


def _condition(ids: Sequence[int] | QuerySet[Any, Any]) -> tuple[str, Sequence[Any]]:
    """Return the condition on the column of the ids, with its parameters. Raises EmptyResultSet."""
    if isinstance(ids, QuerySet):
        sql, parameters = ids.query.sql_with_params()
        return f"IN ({sql})", parameters
    return "= ANY(%s)", ["{" + ",".join(map(str, ids)) + "}"]  # the driver takes ten times as long for a list


def _around(sql: str, place: int) -> tuple[str, str]:
    """Return what is before and after the `IN (%s)` of the parameter at `place` in `sql`. Raises ValueError."""
    parts = sql.split("%s")
    before, after = "%s".join(parts[: place + 1]), "%s".join(parts[place + 1 :])
    if not (before.endswith(" IN (") and after.startswith(")")):
        raise ValueError("IDS must be the only element of an __in")
    return before.removesuffix("IN ("), after.removeprefix(")")
