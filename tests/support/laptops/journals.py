"""Journals for tests: short calls, each on a journal opened from its folder again, as after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ghap.local import Domain, GHAPEntry, Journal, ObservationCollector, OutcomeStatus, Strategy

Action = Callable[[Journal], Any]


def run(folder: Path, *actions: Action) -> Any:
    """The result of the last of `actions`, each on a journal of its own."""
    result = None
    for action in actions:
        result = action(Journal(folder))
    return result


def create(journal: Journal, goal: Any = "g", **more: Any) -> GHAPEntry:
    return journal.create_ghap(Domain.TESTING, Strategy.ASK_USER, goal, "h", "a", "p", **more)


def resolve(journal: Journal, **more: Any) -> GHAPEntry:
    return journal.resolve_ghap(OutcomeStatus.CONFIRMED, "as predicted", **more)


def current(folder: Path) -> GHAPEntry | None:
    return Journal(folder).get_current()


class AwaitedCollector:
    """An ObservationCollector whose calls are awaited here, so that it can stand in for a Journal."""

    def __init__(self, folder: Path) -> None:
        self._collector = ObservationCollector(folder)
        self.journal_dir = self._collector.journal_dir

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._collector, name)
        return lambda *args, **kwargs: asyncio.run(method(*args, **kwargs))
