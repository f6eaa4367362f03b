"""A number for each value of a text column, as one expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, FloatField, Func
from django.db.models.sql.compiler import SQLCompiler


class ByValue(Func):
    """`CASE column WHEN value THEN number … ELSE default END`.

    Django's `Case` does the same with an object for each part, whose compilation takes most of the time of a statement
    on learnings: it has three of them, each several times.
    """

    def __init__(self, column: str | F, numbers: Mapping[str, float], default: float) -> None:
        super().__init__(F(column) if isinstance(column, str) else column, output_field=FloatField())
        self._numbers = dict(numbers)
        self._default = default

    def as_sql(
        self,
        compiler: SQLCompiler,
        connection: BaseDatabaseWrapper,
        function: str | None = None,
        template: str | None = None,
        arg_joiner: str | None = None,
        **extra_context: Any,
    ) -> tuple[str, tuple[Any, ...]]:
        """Return the expression and its parameters."""
        column, params = compiler.compile(self.get_source_expressions()[0])
        whens = "WHEN %s THEN %s " * len(self._numbers)
        pairs = [part for pair in self._numbers.items() for part in pair]
        return f"(CASE {column} {whens}ELSE %s END)::double precision", (*params, *pairs, self._default)
