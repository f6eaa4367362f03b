"""From a filter to rows, quick at any size.

First the ids, each from one index that has all it takes and in its order, so that a query reads as many entries as
it answers with, wherever in the log they lie. What no single index has in order (several scope ids; sources that
only begin alike) is asked in parts, and the parts' first ones are merged. Then the rows of these ids.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import CharField, Exists, Lookup, OuterRef, Q, QuerySet

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import own_rows
from memoryserver.common.ids import first_id
from memoryserver.common.text import clean
from obslog.cursor import Cursor, Order
from obslog.errors import InvalidQueryError
from obslog.incoming import MAX_SCOPE, MAX_SCOPES
from obslog.models import Observation, Scope

_LAST_MOMENT = 2**48 - 1


@CharField.register_lookup
class After(Lookup[Any]):
    """Greater byte by byte, whatever the collation, as the index for prefixes is ordered."""

    lookup_name = "bytes_after"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        """The operator of the index."""
        left, left_params = self.process_lhs(compiler, connection)
        right, right_params = self.process_rhs(compiler, connection)
        return f"{left} ~>~ {right}", [*left_params, *right_params]


@dataclass(frozen=True)
class Filter:
    """Which observations are meant; None, or no scope ids, leaves the matter open.

    `source` matches as a prefix, `%` and `_` meaning themselves; `scope_ids` matches what is about any of
    them; `after_date` is inclusive and `before_date` exclusive, in Unix milliseconds.
    """

    type: str | None = None
    source: str | None = None
    scope_ids: Sequence[str] = field(default_factory=list)
    after_date: int | None = None
    before_date: int | None = None

    def __post_init__(self) -> None:
        if len(self.scope_ids) > MAX_SCOPES:
            raise InvalidQueryError(f"at most {MAX_SCOPES} scope ids can be asked for at once")
        if not all(0 < len(scope_id) <= MAX_SCOPE for scope_id in self.scope_ids):
            raise InvalidQueryError(f"a scope id has 1 to {MAX_SCOPE} characters")


def find_ids(
    user: User, wanted: Filter, *, order: Order, offset: int, limit: int, after: uuid.UUID | None = None
) -> list[uuid.UUID]:
    """The ids of `limit` matching observations from `offset` on in `order`, beginning behind `after`."""
    parts = _about(user, wanted, after, order) if wanted.scope_ids else _from(user, wanted, after, order)
    name = "observation_id" if wanted.scope_ids else "id"
    by = name if order == "asc" else f"-{name}"
    firsts = [part.values_list(name, flat=True).order_by(by)[: offset + limit] for part in parts]
    found = firsts[0].union(*firsts[1:]).order_by(by) if firsts[1:] else firsts[0]
    return list(found[offset : offset + limit])


def find_arrived(user: User, wanted: Filter, given: Cursor, limit: int) -> list[Observation]:
    """The `limit` matching observations that arrived first of those that `given` has not, in that order."""
    rows = _matching(user, wanted).filter(*_within("id", wanted), arrival__gt=given.low)
    rows = rows.exclude(arrival__in=given.seen)
    if wanted.scope_ids:
        about = Scope.objects.filter(observation=OuterRef("pk"), scope_id__in=list(map(clean, wanted.scope_ids)))
        rows = rows.filter(Exists(about))
    return load_scope_ids(list(rows.order_by("arrival")[:limit]))


def rows_of(ids: Sequence[uuid.UUID]) -> list[Observation]:
    """The observations with these ids, in their order, scope ids loaded."""
    found = Observation.objects.in_bulk(ids)
    return load_scope_ids([found[identifier] for identifier in ids])


def load_scope_ids(rows: list[Observation]) -> list[Observation]:
    """`rows`, their scope ids read in one go; Django's own prefetching takes longer than all else together."""
    about: dict[uuid.UUID, list[str]] = {row.pk: [] for row in rows}
    for identifier, scope_id in Scope.objects.filter(observation__in=about).values_list("observation_id", "scope_id"):
        about[identifier].append(scope_id)
    for row in rows:
        row.scope_ids = sorted(about[row.pk])
    return rows


def _from(user: User, wanted: Filter, after: uuid.UUID | None, order: Order) -> list[QuerySet[Observation]]:
    rows = _matching(user, wanted, with_source=False).filter(*_within("id", wanted, after, order))
    if wanted.source is None:
        return [rows]
    source = clean(wanted.source)
    category, colon, identifier = source.partition(":")
    if colon and not identifier:
        return [rows.filter(category=category)]
    longer = rows.filter(source__startswith=source, source__bytes_after=source)
    return [rows.filter(source=source), longer] if colon else [longer]


def _about(user: User, wanted: Filter, after: uuid.UUID | None, order: Order) -> list[QuerySet[Scope]]:
    scopes = own_rows(Scope.objects.all(), user).filter(*_within("observation_id", wanted, after, order))
    if wanted.type is not None or wanted.source is not None:
        scopes = scopes.filter(Exists(_matching(user, wanted).filter(pk=OuterRef("observation_id"))))
    return [scopes.filter(scope_id=scope_id) for scope_id in dict.fromkeys(map(clean, wanted.scope_ids))]


def _matching(user: User, wanted: Filter, *, with_source: bool = True) -> QuerySet[Observation]:
    rows = own_rows(Observation.objects.all(), user)
    if wanted.type is not None:
        rows = rows.filter(type=clean(wanted.type))
    if wanted.source is not None and with_source:
        rows = rows.filter(source__startswith=clean(wanted.source))
    return rows


def _within(name: str, wanted: Filter, after: uuid.UUID | None = None, order: Order = "asc") -> list[Q]:
    bounds: list[tuple[str, uuid.UUID]] = []
    if wanted.after_date is not None:
        bounds.append((f"{name}__gte", _first_id(wanted.after_date)))
    if wanted.before_date is not None:
        bounds.append((f"{name}__lt", _first_id(wanted.before_date)))
    if after is not None:
        bounds.append((f"{name}__{'gt' if order == 'asc' else 'lt'}", after))
    return [Q(bound) for bound in bounds]


def _first_id(moment: int) -> uuid.UUID:
    return first_id(min(max(moment, 0), _LAST_MOMENT))
