"""Observations as a kind of data to export and import; they are their user's alone."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.transfer.kinds import Kind, Outcome
from obslog import log
from obslog.incoming import NewObservation
from obslog.models import Observation

_TEXTS = ("type", "source", "message")


def _item_of(row: Observation) -> dict[str, Any]:
    return {
        "id": str(row.reported_id or row.pk),
        **{name: getattr(row, name) for name in (*_TEXTS, "details", "data")},
        "scope_ids": sorted(scope.scope_id for scope in row.scopes.all()),
    }


def _load(user: User, project: Project | None, items: Sequence[dict[str, Any]]) -> Sequence[Outcome]:
    """Append the observations; those of a server itself are left out, since this log says what this server did."""
    read = [_read(item) for item in items]
    receipts = iter(log.append_all(user, [new for new in read if isinstance(new, NewObservation)]))
    outcomes = []
    for new in read:
        if isinstance(new, Outcome):
            outcomes.append(new)
        else:
            receipt = next(receipts)
            outcomes.append(Outcome(receipt.status, receipt.reason or ""))
    return outcomes


def _read(item: dict[str, Any]) -> NewObservation | Outcome:
    try:
        identifier = uuid.UUID(str(item.get("id")))
    except ValueError:
        return Outcome("refused", "id: not a UUID")
    if not all(isinstance(item.get(name), str) for name in _TEXTS):
        return Outcome("refused", "type, source and message must be texts")
    if str(item["source"]).partition(":")[0] == "system":
        return Outcome("unchanged")
    details, scopes = item.get("details"), item.get("scope_ids")
    return NewObservation(
        **{name: item[name] for name in _TEXTS},
        details=details if isinstance(details, str) else None,
        data=item.get("data"),
        scope_ids=[str(scope) for scope in scopes] if isinstance(scopes, list) else (),
        id=identifier,
    )


def _rows() -> QuerySet[Observation]:
    return Observation.objects.prefetch_related("scopes")


KIND = Kind("obslog.observation", _rows, _item_of, _load, is_personal=True)
