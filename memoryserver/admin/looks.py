"""The looks of administrators at private rows of others, for the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models

from memoryserver.accounts.models import OwnedModel, User


def private_of_others(rows: Iterable[models.Model], viewer: User, *, personal: bool = False) -> Mapping[int, list[Any]]:
    """Return the primary keys of those of `rows`, all of one model, that are private and not `viewer`'s own.

    They are grouped by the primary key of the author. A row is private unless its project is a team's. One that is part
    of an author's row, such as a change of a learning, is as private as that one. `personal` rows are always private.
    """
    by_author: dict[int, list[Any]] = {}
    parts = [(row, whole) for row in rows if (whole := row if personal else _owned_row(row)) is not None]
    open_keys = _open_keys([whole for _, whole in parts], viewer, personal)
    for row, whole in parts:
        author = whole.user_id  # type: ignore[attr-defined]
        if author is not None and whole.pk not in open_keys:
            by_author.setdefault(author, []).append(row.pk)
    return by_author


def _owned_row(row: models.Model) -> models.Model | None:
    """Return the row with an author and a project that `row` is or belongs to; None if there is none."""
    if isinstance(row, OwnedModel) or {"user", "project"} <= {field.name for field in row._meta.fields}:
        return row
    for field in row._meta.fields:
        if isinstance(field, models.ForeignKey):
            related = field.related_model
            if {"user", "project"} <= {part.name for part in related._meta.fields}:
                return getattr(row, field.name)  # type: ignore[no-any-return]
    return None


def _open_keys(rows: list[models.Model], viewer: User, personal: bool) -> set[Any]:
    """Return the primary keys of those of `rows` that are the viewer's own or, unless `personal`, shared in a team."""
    if not rows:
        return set()
    is_open = models.Q(user=viewer) if personal else models.Q(user=viewer) | models.Q(project__team__isnull=False)
    stored = type(rows[0])._default_manager.filter(is_open, pk__in=[row.pk for row in rows])
    return set(stored.values_list("pk", flat=True))
