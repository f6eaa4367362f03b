"""Observations for tests."""

from __future__ import annotations

from typing import Any

from obslog.incoming import NewObservation

MOMENT = 1_700_000_000_000


def new(**changes: Any) -> NewObservation:
    """A valid observation, but for `changes`."""
    return NewObservation(**{"type": "task.updated", "source": "agent:abc123", "message": "moved on", **changes})
