"""Pages of a list by the keys of its last row, so that rows added meanwhile neither repeat nor hide others.

Django's Paginator and the framework's cursors count rows from the start or change a response's form; an offset in a
list that grows at its beginning shows rows twice.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from typing import Any, Generic, TypeVar

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import Field, ForeignObject, Model, Q, QuerySet

from memoryserver.common.counted import counted
from memoryserver.errors import InvalidInputError

Row = TypeVar("Row", bound=Model)

COUNTED = 10_000


class InvalidCursorError(InvalidInputError):
    """The cursor is not one of this list: a 400 of a page, a 422 of the API."""

    def __init__(
        self, text: str = "cursor: invalid; use the one of the last response, or none for the first page"
    ) -> None:
        super().__init__(text)


@dataclass(frozen=True)
class Page(Generic[Row]):
    """The rows of a page, and the cursor of the next one: None at the end."""

    rows: Sequence[Row]
    next_cursor: str | None


def page_of(
    rows: QuerySet[Row], order: Sequence[str], *, limit: int, cursor: str = "", keys_first: bool = False
) -> Page[Row]:
    """Return at most `limit` of `rows` in `order`, after the row of `cursor`. Raises InvalidCursorError.

    `order` is as in `order_by` and must be unique, as by a last `pk`. NULL counts as greater than any value, as in
    Postgres. With `keys_first` the keys of the page are looked up by themselves, for lists whose conditions and order
    an index has as a whole: then no row is read that is not on the page.
    """
    if cursor:
        rows = rows.filter(_after(order, _decode(rows.model, order, cursor)))
    ordered = rows.order_by(*order)
    if keys_first:
        ordered = ordered.filter(pk__in=list(ordered.values_list("pk", flat=True)[: limit + 1]))
    selected = list(ordered[: limit + 1])
    more = len(selected) > limit
    return Page(selected[:limit], _encode(selected[limit - 1], order) if more else None)


def how_many(rows: QuerySet[Any], noun: str, plural: str = "") -> str:
    """Return how many `rows` there are, with `noun`, such as "37 sessions"; one query.

    It says "more than 10,000" for more than COUNTED: to count on would read the whole table.
    """
    number = rows.order_by()[: COUNTED + 1].count()
    return f"more than {COUNTED:,} {plural or noun + 's'}" if number > COUNTED else counted(number, noun, plural)


def refuse_offset(parameters: Mapping[str, str]) -> None:
    """Raise InvalidCursorError for an `offset`, which clients up to 0.1 sent: ignored, each page would be the first.

    They also send 0 where they mean the first page.
    """
    if parameters.get("offset", "0") != "0":
        raise InvalidCursorError("offset: pages are by cursor; send `next_cursor` of the last response as `cursor`")


def _after(order: Sequence[str], values: Sequence[Any]) -> Q:
    """Return the condition of the rows after the one with `values`: greater in a field, and equal in those before."""
    condition, equal = Q(pk__in=[]), Q()
    for key, value in zip(order, values, strict=True):
        name = key.removeprefix("-")
        condition |= equal & _beyond(name, value, descending=key.startswith("-"))
        equal &= Q((f"{name}__isnull", True)) if value is None else Q((name, value))
    return condition


def _beyond(name: str, value: Any, *, descending: bool) -> Q:
    if value is None:
        return Q((f"{name}__isnull", False)) if descending else Q(pk__in=[])
    return Q((f"{name}__lt", value)) if descending else Q((f"{name}__gt", value)) | Q((f"{name}__isnull", True))


def _encode(row: Model, order: Sequence[str]) -> str:
    values = [reduce(getattr, key.removeprefix("-").split("__"), row) for key in order]
    text = json.dumps([value.isoformat() if isinstance(value, datetime) else value for value in values])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode(model: type[Model], order: Sequence[str], cursor: str) -> list[Any]:
    """Return the values in `cursor` as those of the fields in `order`."""
    try:
        values = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        if not isinstance(values, list) or len(values) != len(order):
            raise InvalidCursorError
        fields = [_field(model, key.removeprefix("-")) for key in order]
        return [_value(field, value) for field, value in zip(fields, values, strict=True)]
    except (ValidationError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise InvalidCursorError from error


def _value(field: Field[Any, Any], value: Any) -> Any:
    """Return `value` as the field has it; a time in UTC, since Postgres knows no offset of nearly a day."""
    decoded = field.to_python(value)
    return decoded.astimezone(UTC) if isinstance(decoded, datetime) else decoded


def _field(model: type[Model], path: str) -> Field[Any, Any]:
    """Return the field at `path`, such as `capture__captured_at`."""
    *relations, name = path.split("__")
    for relation in relations:
        field = model._meta.get_field(relation)
        if not isinstance(field, ForeignObject):
            raise FieldDoesNotExist(path)
        model = field.related_model
    found = model._meta.pk if name == "pk" else model._meta.get_field(name)
    assert isinstance(found, Field)
    return found
