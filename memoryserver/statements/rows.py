"""Model instances from statements that are written by hand, for the few that every request of an agent runs.

Django makes the text of a statement again at each use, and an instance field by field. At the endpoint for hooks, that
was three quarters of the time (`bench/api.py`). What is seldom run is better off with a queryset.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import orjson
from django.db import connection, models

M = TypeVar("M", bound=models.Model)
_Converter = Callable[[Any, Any, Any], Any]


@lru_cache(maxsize=32)
def columns(model: type[models.Model], alias: str) -> str:
    """Return all columns of `model` under the table's `alias`, for the SELECT of a statement."""
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


def width(model: type[models.Model]) -> int:
    """Return how many values `columns` are."""
    return len(model._meta.concrete_fields)


def instance(model: type[M], values: Sequence[Any]) -> M:
    """Return the instance with the values of `columns`, as a queryset would."""
    names, converters = _fields(model)
    converted = list(values)
    for index, converter in converters:
        converted[index] = converter(converted[index], None, connection)
    return model.from_db("default", names, converted)


def copied(row: M) -> M:
    """Return an instance of its own with the values of `row`, for one that is kept and must stay as it was read."""
    made = type(row).__new__(type(row))  # as `copy.copy`, without the check for pickles of another version
    made.__dict__.update(row.__dict__)
    made._state = copy.copy(row._state)
    made._state.fields_cache = dict(row._state.fields_cache)
    return made


def first(sql: str, parameters: Mapping[str, Any], *, prepared: bool = False) -> tuple[Any, ...] | None:
    """Run the statement and return its first row, None if it has none.

    If `prepared`, the server keeps its plan: for statements of every request, whose text is always the same.
    """
    with connection.prepared_cursor() if prepared else connection.cursor() as cursor:  # type: ignore[attr-defined]
        cursor.execute(sql, parameters)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def json_text(value: object) -> str:
    """Return the value as JSON for a parameter."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # an integer above 64 bits
        return json.dumps(value)


@lru_cache(maxsize=32)
def _fields(model: type[models.Model]) -> tuple[list[str], list[tuple[int, _Converter]]]:
    """Return the names of the model's fields, and by place what makes a field's value of the database's."""
    fields = model._meta.concrete_fields
    converters = [(i, each) for i, field in enumerate(fields) for each in field.get_db_converters(connection)]
    return [field.attname for field in fields], converters
