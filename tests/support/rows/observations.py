"""Observations for tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memoryserver.accounts.models import User
from memoryserver.common.ids import milliseconds_of, uuid7
from obslog.incoming import NewObservation
from obslog.models import Observation, Scope

MOMENT = 1_700_000_000_000


def new(**changes: Any) -> NewObservation:
    """A valid observation, but for `changes`."""
    return NewObservation(**{"type": "task.updated", "source": "agent:abc123", "message": "moved on", **changes})


def store_with_any_time(user: User, observations: Iterable[NewObservation]) -> None:
    """Store rows with the times that are given, as the log did before it bounded those of wrong clocks."""
    for one in observations:
        identifier = one.id or uuid7(one.created_at)
        Observation.objects.create(
            id=identifier,
            user=user,
            type=one.type,
            source=one.source,
            message=one.message,
            created_at=milliseconds_of(identifier),
        )
        for scope_id in one.scope_ids:
            Scope.objects.create(observation_id=identifier, scope_id=scope_id, user=user)
