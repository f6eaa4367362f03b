"""Sends resolved entries to the server until it has confirmed each: at least once, idempotent by entry id.

What was confirmed or refused is kept in `.sync.json`, written after every batch. An archive whose entries
are all confirmed is remembered by its size and time alone, so that the file stays small. Without the file
everything is sent again, which the server answers with "unchanged".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ghap.local import copies, layout
from ghap.local.entry import GHAPEntry
from ghap.local.lines import Line, latest, read_lines
from ghap.local.server_answers import ServerAnswers
from ghap.local.store import Store
from memoryserver.client import delivery
from memoryserver.client.delivery import Item, Post, Report
from memoryserver.common import files

ENDPOINT = "/ghap/entries"
MAX_BATCH = 100  # entries
MAX_BATCH_BYTES = 1_000_000


@dataclass
class SyncReport(Report):
    """What a sync did; also how many entries still wait.

    `refused` has every entry that the server refuses, now or before, with the reason: `failed` counts only those of
    this sync. `unreadable` names lines that hold no entry.
    """

    waiting: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)


def sync_journal(
    journal_dir: Path,
    project: str,
    post: Post,
    *,
    server: str = "",
    account: str = "",
    retry_failed: bool = False,
    lock_timeout: float = 10.0,
) -> SyncReport:
    """Send what `server` has not confirmed to `account` of the journal in `journal_dir`, under the name `project`.

    `post(path, body)` is Client.post. Refused entries are sent again with `retry_failed` or when their
    content has changed. Being offline is reported, not raised. Raises UnauthorizedError, LockTimeoutError while another
    sync runs, OSError.
    """
    if not journal_dir.is_dir():
        return SyncReport()
    with files.lock(journal_dir / layout.SYNC_LOCK, timeout=lock_timeout):
        state = ServerAnswers.load(journal_dir, server=server, project=project, account=account)
        report = SyncReport()
        channel = JournalChannel(Store(journal_dir), state, report, retry_failed=retry_failed)
        delivery.deliver(channel, post, report)
        for _ in channel.waiting():  # the rest; each entry is counted as it is read
            pass
        channel.finish()
        report.refused = state.reasons()
        _settle_copies(journal_dir, state)
        return report


def _settle_copies(journal_dir: Path, state: ServerAnswers) -> None:
    """Remove the copies of what the server has; see `copies`."""
    if journal_dir.absolute() not in copies.journals():
        return
    with files.lock(journal_dir / layout.LOCK):
        store = Store(journal_dir)
        confirmed: dict[str, str] = {}
        for path in (*store.archives(), journal_dir / layout.SESSION_ENTRIES):
            is_settled = path.parent != journal_dir and state.is_settled(path.name, _signature(path))
            for line in latest(read_lines(path)):
                if line.entry is None:
                    continue
                item = _item(line.entry)
                confirmed.pop(item.id, None)
                if is_settled or state.confirmed.get(item.id) == item.origin:
                    confirmed[item.id] = item.origin
        copies.settle(journal_dir, confirmed, state.reasons())


class JournalChannel:
    """The delivery channel (delivery.Channel) of one journal."""

    path = ENDPOINT
    max_items = MAX_BATCH
    max_bytes = MAX_BATCH_BYTES

    def __init__(self, store: Store, state: ServerAnswers, report: SyncReport, *, retry_failed: bool) -> None:
        self._store = store
        self._state = state
        self._report = report
        self._retry = retry_failed
        self._scanned: dict[str, dict[str, str]] = {}  # source: {id: digest}
        self._signatures: dict[str, str] = {}  # archive: its signature before it was read
        self._pending = self._read()

    def waiting(self) -> Iterator[Item[str]]:
        """Return the one iterator over the entries that are not confirmed; the origin is the digest of the content."""
        return self._pending

    def body(self, items: Sequence[Item[str]]) -> object:
        """Return {"project", "entries"}."""
        return {"project": self._state.project, "entries": [item.content for item in items]}

    def reasons(self, answer: Any, items: Sequence[Item[str]]) -> list[str | None]:
        """Return why each entry was refused, or None. Raises UnexpectedAnswerError."""
        return delivery.results(answer, [item.id for item in items])

    def settle(self, outcomes: Sequence[tuple[Item[str], str | None]]) -> None:
        """Record what the server confirmed and refused in `.sync.json`; the entries stay in the journal."""
        for item, reason in outcomes:
            self._report.waiting -= 1
            if reason is None:
                self._state.confirm(item.id, item.origin)
            else:
                self._state.refuse(item.id, item.origin, reason)
        self._state.save()

    def finish(self) -> None:
        """Tidy the state after everything was read."""
        self._state.settle(self._scanned, self._signatures)
        self._state.save()

    def _read(self) -> Iterator[Item[str]]:
        # Read first: an entry that is archived meanwhile is then met twice, never missed. Its line in the session
        # counts where a crash left an archive's beside it; the archive is read again until both are the same.
        present = self._store.session_lines()
        met = {line.entry.id for line in present if line.entry}
        for path in self._store.archives():
            signature = _signature(path)
            if self._state.is_settled(path.name, signature):
                continue
            self._signatures[path.name] = signature
            yield from self._unsent(f"{path.parent.name}/{path.name}", path.name, read_lines(path), met)
        yield from self._unsent(layout.SESSION_ENTRIES, "", present, set())

    def _unsent(self, shown: str, source: str, lines: list[Line], met: set[str]) -> Iterator[Item[str]]:
        ids = self._scanned.setdefault(source, {})
        for number, line in enumerate(latest(lines), start=1):
            if line.entry is None:
                self._report.unreadable.append(f"{shown}, entry {number}: {line.fault}")
                continue
            item = _item(line.entry)
            ids[item.id] = item.origin
            if item.id not in met and self._state.wants(item.id, item.origin, retry=self._retry):
                self._report.waiting += 1
                yield item
            met.add(item.id)


def _item(entry: GHAPEntry) -> Item[str]:
    body = entry.to_dict()
    content = json.dumps(body, sort_keys=True).encode("ascii")
    return Item(entry.id, body, len(content), hashlib.sha256(content).hexdigest()[:32])


def _signature(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size}:{status.st_mtime_ns}"
