"""Sends the resolved entries whose journal was deleted before they were delivered, from their copies (`copies`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ghap.local import active, copies
from ghap.local.store import Store
from ghap.local.sync import ENDPOINT, MAX_BATCH, MAX_BATCH_BYTES
from memoryserver.client import delivery
from memoryserver.client.delivery import Item, Post, Report
from memoryserver.client.outbox import OutboxChannel


def deliver(post: Post, report: Report) -> None:
    """Send the copies of entries that their journals no longer hold. Raises UnauthorizedError, OSError."""
    delivery.deliver(_LostChannel(), post, report)


class _Held:
    """Which entries the journals hold, filed or active; each journal is read once."""

    def __init__(self) -> None:
        self._ids: dict[Path, set[str]] = {}

    def has(self, journal: Path, entry_id: str) -> bool:
        """Return whether the entry is in the journal."""
        if journal not in self._ids:
            current = active.load(journal)
            ids = {entry.id for entry in Store(journal).filed_entries()} if journal.is_dir() else set()
            self._ids[journal] = ids | ({current.id} if current else set())
        return entry_id in self._ids[journal]


class _LostChannel(OutboxChannel):
    """The delivery channel (delivery.Channel) of copies whose journal no longer holds the entry."""

    max_items = MAX_BATCH
    max_bytes = MAX_BATCH_BYTES

    def __init__(self) -> None:
        super().__init__(copies.outbox(), ENDPOINT)
        self._held = _Held()

    def waiting(self) -> Iterator[Item[Path]]:
        """Yield the entries, grouped by project; a file that is not a copy is set aside."""
        lost: list[tuple[str, Item[Path]]] = []
        for path, content, size in self.outbox.contents():
            copy = copies.checked(content)
            if copy is None:
                self.outbox.set_file_aside(path, "not a copy of an entry")
            elif not self._held.has(Path(copy["journal"]), path.stem):
                lost.append((copy["project"], Item(path.stem, copy["entry"], size, path, group=copy["project"])))
        for _, item in sorted(lost, key=lambda pair: pair[0]):
            yield item

    def body(self, items: Sequence[Item[Path]]) -> object:
        """Return {"project", "entries"}."""
        return {"project": items[0].group, "entries": [item.content for item in items]}

    def reasons(self, answer: Any, items: Sequence[Item[Path]]) -> list[str | None]:
        """Return why each entry was refused, or None. Raises UnexpectedAnswerError."""
        return delivery.results(answer, [item.id for item in items])
