"""Queries of the log that are fast at any size.

First the ids are selected, each by one index with the required columns and order, so that a query reads only as many
index entries as it returns. Conditions without such an index (several scope ids; prefixes of sources) are split into
parts whose first ids are merged. Then the rows of these ids are loaded.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import CharField, Exists, Lookup, OuterRef, Q, QuerySet

from memoryserver import keyset
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import own_rows
from memoryserver.common.ids import first_id
from memoryserver.common.text import clean
from memoryserver.errors import InvalidInputError
from obslog.cursor import Cursor, Order
from obslog.incoming import MAX_SCOPE, MAX_SCOPES
from obslog.models import Observation, Scope

_LAST_MOMENT = 2**48 - 1


@CharField.register_lookup
class After(Lookup[Any]):
    """Comparison by bytes, whatever the collation, as in the index for prefixes."""

    lookup_name = "bytes_after"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        """Return the SQL with the index's operator."""
        left, left_params = self.process_lhs(compiler, connection)
        right, right_params = self.process_rhs(compiler, connection)
        return f"{left} ~>~ {right}", [*left_params, *right_params]


@dataclass(frozen=True)
class Filter:
    """Conditions on observations; None, or no scope ids, matches everything.

    `source` matches as a prefix, with `%` and `_` literal; `scope_ids` matches any of them; `after_date` is inclusive
    and `before_date` exclusive, in Unix milliseconds. Of the scope ids `within` an observation
    must have one, too.
    """

    type: str | None = None
    source: str | None = None
    scope_ids: Sequence[str] = field(default_factory=list)
    after_date: int | None = None
    before_date: int | None = None
    within: Sequence[str] = ()

    @property
    def about(self) -> Sequence[str]:
        """The scope ids by which observations are looked up; none where an index of observations finds them."""
        return list(dict.fromkeys(map(clean, self.scope_ids or self.within)))

    def __post_init__(self) -> None:
        if len(self.scope_ids) > MAX_SCOPES or len(self.within) > MAX_SCOPES:
            raise InvalidInputError(f"a query has at most {MAX_SCOPES} scope ids")
        if not all(0 < len(scope_id) <= MAX_SCOPE for scope_id in self.scope_ids):
            raise InvalidInputError(f"a scope id has 1 to {MAX_SCOPE} characters")


def find_ids(
    user: User, filters: Filter, *, order: Order, offset: int, limit: int, after: uuid.UUID | None = None
) -> list[uuid.UUID]:
    """Return the ids of `limit` matching observations from `offset` on in `order`, after the id `after`."""
    parts = parts_of(user, filters, after, order)
    name = "observation_id" if filters.about else "id"
    by = name if order == "asc" else f"-{name}"
    firsts = [part.values_list(name, flat=True).order_by(by)[: offset + limit] for part in parts]
    merged = firsts[0].union(*firsts[1:]).order_by(by) if firsts[1:] else firsts[0]
    return list(merged[offset : offset + limit])


def how_many(user: User, filters: Filter) -> str:
    """Return how many observations match, in words, as `keyset.how_many`."""
    parts = parts_of(user, filters)
    if len(parts) == 1:
        return keyset.how_many(parts[0], "observation")
    name = "observation_id" if filters.about else "id"
    firsts = [part.order_by().values_list(name)[: keyset.COUNTED + 1] for part in parts]
    return keyset.how_many(firsts[0].union(*firsts[1:]), "observation")


def parts_of(
    user: User, filters: Filter, after: uuid.UUID | None = None, order: Order = "asc"
) -> Sequence[QuerySet[Any]]:
    """Return the queries, each with an index of its own, whose rows together are the matching ones.

    They are of Scope, with an `observation_id`, if the filters have scope ids, else of Observation. An observation with
    several of the scope ids is in several of them.
    """
    if filters.about:
        return _scope_parts(user, filters, after, order)
    return _observation_parts(user, filters, after, order)


def find_arrived(user: User, filters: Filter, cursor: Cursor, limit: int) -> list[Observation]:
    """Return the first `limit` matching observations, by arrival, that `cursor` does not include."""
    rows = _matching(user, filters).filter(*_within("id", filters), arrival__gt=cursor.low)
    rows = rows.exclude(arrival__in=cursor.seen)
    for scope_ids in filter(None, (filters.scope_ids, filters.within)):
        rows = rows.filter(_is_about("pk", scope_ids))
    return load_scope_ids(list(rows.order_by("arrival")[:limit]))


def rows_of(ids: Sequence[uuid.UUID]) -> list[Observation]:
    """Return the observations with these ids, in their order, with scope ids loaded."""
    rows = Observation.objects.in_bulk(ids)
    return load_scope_ids([rows[identifier] for identifier in ids])


def load_scope_ids(rows: list[Observation]) -> list[Observation]:
    """Load the scope ids of `rows` in one query and return `rows`; much faster than Django's prefetching."""
    about: dict[uuid.UUID, list[str]] = {row.pk: [] for row in rows}
    for identifier, scope_id in Scope.objects.filter(observation__in=about).values_list("observation_id", "scope_id"):
        about[identifier].append(scope_id)
    for row in rows:
        row.scope_ids = sorted(about[row.pk])
    return rows


def _observation_parts(
    user: User, filters: Filter, after: uuid.UUID | None, order: Order
) -> list[QuerySet[Observation]]:
    rows = _matching(user, filters, with_source=False).filter(*_within("id", filters, after, order))
    if filters.source is None:
        return [rows]
    source = clean(filters.source)
    category, colon, identifier = source.partition(":")
    if colon and not identifier:
        return [rows.filter(category=category)]
    longer = rows.filter(source__startswith=source, source__bytes_after=source)
    return [rows.filter(source=source), longer] if colon else [longer]


def _scope_parts(user: User, filters: Filter, after: uuid.UUID | None, order: Order) -> list[QuerySet[Scope]]:
    scopes = own_rows(Scope.objects.all(), user).filter(*_within("observation_id", filters, after, order))
    if filters.type is not None or filters.source is not None:
        scopes = scopes.filter(Exists(_matching(user, filters).filter(pk=OuterRef("observation_id"))))
    if filters.scope_ids and filters.within:
        scopes = scopes.filter(_is_about("observation_id", filters.within))
    return [scopes.filter(scope_id=scope_id) for scope_id in filters.about]


def _is_about(observation: str, scope_ids: Sequence[str]) -> Exists:
    """Return the condition that the observation in the field has any of `scope_ids`."""
    return Exists(Scope.objects.filter(observation=OuterRef(observation), scope_id__in=list(map(clean, scope_ids))))


def _matching(user: User, filters: Filter, *, with_source: bool = True) -> QuerySet[Observation]:
    rows = own_rows(Observation.objects.all(), user)
    if filters.type is not None:
        rows = rows.filter(type=clean(filters.type))
    if filters.source is not None and with_source:
        rows = rows.filter(source__startswith=clean(filters.source))
    return rows


def _within(name: str, filters: Filter, after: uuid.UUID | None = None, order: Order = "asc") -> list[Q]:
    bounds: list[tuple[str, uuid.UUID]] = []
    if filters.after_date is not None:
        bounds.append((f"{name}__gte", id_at(filters.after_date)))
    if filters.before_date is not None:
        bounds.append((f"{name}__lt", id_at(filters.before_date)))
    if after is not None:
        bounds.append((f"{name}__{'gt' if order == 'asc' else 'lt'}", after))
    return [Q(bound) for bound in bounds]


def id_at(moment: int) -> uuid.UUID:
    """Return the lowest id of observations made at `moment` (Unix milliseconds) or later."""
    return first_id(min(max(moment, 0), _LAST_MOMENT))
