"""Observations as documents, by id and by time."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from django.db.models import Q
from django.urls import reverse

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import own_rows
from memoryserver.common.ids import first_id
from memoryserver.search.documents import Document
from memoryserver.search.lookup import Finder, Match
from memoryserver.search.sources import Side
from obslog.models import Observation, Scope
from obslog.query import load_scope_ids

SOURCE = "observations"
PAGE = "log-observation"
_DIGITS = 32  # of an id
_LEAST = 8  # digits by which observations are found


def read(user: User, key: str) -> Sequence[Document]:
    """Return the observation with that id, or sent with it, if it is `user`'s own."""
    try:
        identifier = uuid.UUID(key)
    except ValueError:
        return []
    return _documents(
        user, list(own_rows(Observation.objects.filter(Q(pk=identifier) | Q(reported_id=identifier)), user))
    )


def near(user: User, here: Document, side: Side, limit: int) -> Sequence[Document]:
    """Return the `limit` of `user`'s observations next to `here` on that side, with a common scope id or source.

    The server's own events are left out, since entries and learnings show the same.
    """
    boundary = first_id(int(here.created_at.timestamp() * 1000) + 1)
    order = "-" if side == "before" else ""
    lookup = "lt" if side == "before" else "gte"
    scopes = own_rows(Scope.objects.filter(scope_id__in=here.threads), user).exclude(observation__category="system")
    about = scopes.filter(Q((f"observation__{lookup}", boundary))).order_by(f"{order}observation")
    ids = set(about.values_list("observation", flat=True).distinct()[:limit])
    rows = own_rows(Observation.objects.all(), user)
    if here.source == SOURCE:
        same = rows.filter(Q((f"id__{lookup}", boundary)), source=here.details["source"]).order_by(f"{order}id")
        ids |= set(same.values_list("id", flat=True)[:limit])
    return _documents(user, list(rows.filter(pk__in=ids)))


def find(user: User, word: str, limit: int) -> Sequence[Match]:
    """Return `user`'s observation with that id, or sent with it; else those whose id begins so."""
    digits = word.replace("-", "").lower()
    if not _LEAST <= len(digits) <= _DIGITS or not set(digits) <= set("0123456789abcdef"):
        return []
    rows = own_rows(Observation.objects.all(), user)
    if len(digits) == _DIGITS:
        return [_match(user, row) for row in rows.filter(Q(pk=uuid.UUID(digits)) | Q(reported_id=uuid.UUID(digits)))]
    first, last = (uuid.UUID(digits.ljust(_DIGITS, filler)) for filler in "0f")
    begun = rows.filter(pk__gte=first, pk__lte=last).order_by("-pk")[:limit]
    return [_match(user, row, exact=False) for row in begun]


def _match(user: User, row: Observation, *, exact: bool = True) -> Match:
    return Match(
        kind="observation",
        id=f"{SOURCE}/{row.pk}",
        title=row.message,
        user=user.get_username(),
        project=None,
        created_at=datetime.fromtimestamp(row.created_at / 1000, UTC),
        page=reverse(PAGE, args=[row.pk]),
        exact=exact,
    )


FINDER = Finder(SOURCE, find, PAGE, lambda user, key: find(user, key, 1))


def _documents(user: User, rows: list[Observation]) -> list[Document]:
    return [
        Document(
            source=SOURCE,
            key=str(row.pk),
            kind=row.type,
            title=row.message,
            text=row.message if row.details is None else f"{row.message}\n\n{row.details}",
            user=user.get_username(),
            project=None,
            created_at=datetime.fromtimestamp(row.created_at / 1000, UTC),
            details={
                "type": row.type,
                "source": row.source,
                "scope_ids": row.scope_ids,
                "data": row.data,
                **({} if row.reported_at is None else {"reported_at": row.reported_at}),
            },
            threads=frozenset([*row.scope_ids, row.source.partition(":")[2]]),
        )
        for row in load_scope_ids(rows)
    ]
