"""Sends resolved entries to the server until it has confirmed each: at least once, idempotent by entry id.

What was confirmed or refused is kept in `.sync.json`, written after every batch. An archive whose entries
are all confirmed is remembered by its size and time alone, so that the file stays small. Without the file
everything is sent again, which the server answers with "unchanged".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ghap.local import layout
from ghap.local.entry import GHAPEntry
from ghap.local.lines import Line, latest, read_lines
from ghap.local.store import Store
from ghap.local.syncstate import SyncState
from memoryserver.client.http import RefusedError, ServerError, UnreachableError
from memoryserver.common import files

ENDPOINT = "/ghap/entries"
MAX_BATCH = 100  # entries
MAX_BATCH_BYTES = 1_000_000
_BAD_BODY = (413, 422)  # the server will not take this batch, though it may take parts of it

Post = Callable[[str, object], Any]


@dataclass
class SyncReport:
    """What a sync did: entries confirmed, those that still wait, all that stand refused with the reason.

    `offline` says why the server could not be reached; `unreadable` names lines that hold no entry.
    """

    confirmed: int = 0
    waiting: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    offline: str = ""
    unreadable: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Item:
    id: str
    digest: str
    size: int
    body: dict[str, Any]


def sync_journal(
    journal_dir: Path,
    project: str,
    post: Post,
    *,
    server: str = "",
    retry_refused: bool = False,
    lock_timeout: float = 10.0,
) -> SyncReport:
    """Send what `server` has not confirmed of the journal in `journal_dir`, under the name `project`.

    `post(path, body)` is Client.post. Refused entries are sent again with `retry_refused` or when their
    content has changed. Being offline is reported, not raised. Raises ServerError where the server answers
    anything but a verdict on entries, LockTimeoutError while another sync runs, OSError.
    """
    if not journal_dir.is_dir():
        return SyncReport()
    with files.lock(journal_dir / layout.SYNC_LOCK, timeout=lock_timeout):
        state = SyncState.load(journal_dir, server=server, project=project)
        return _Sync(Store(journal_dir), state, project, post, retry_refused).run()


class _Sync:
    """One run."""

    def __init__(self, store: Store, state: SyncState, project: str, post: Post, retry_refused: bool) -> None:
        self._store = store
        self._state = state
        self._project = project
        self._post = post
        self._retry = retry_refused
        self._report = SyncReport()
        self._scanned: dict[str, dict[str, str]] = {}  # source: {id: digest}
        self._signatures: dict[str, str] = {}  # archive: what it was like before it was read

    def run(self) -> SyncReport:
        """Send everything that is pending, then tidy the state."""
        pending = self._pending()
        try:
            for batch in _batches(pending):
                self._deliver(batch)
        except UnreachableError as error:
            self._report.offline = str(error)
            for _ in pending:  # each is counted as it comes
                pass
        self._state.settle(self._scanned, self._signatures)
        self._state.save()
        self._report.refused = self._state.reasons()
        return self._report

    def _pending(self) -> Iterator[_Item]:
        # Read first: an entry that is archived meanwhile is then met twice, never missed.
        present = self._store.session_lines()
        met: set[str] = set()
        for path in self._store.archives():
            signature = _signature(path)
            if self._state.is_settled(path.name, signature):
                continue
            self._signatures[path.name] = signature
            yield from self._unsent(f"{path.parent.name}/{path.name}", path.name, read_lines(path), met)
        yield from self._unsent(layout.SESSION_ENTRIES, "", present, met)

    def _unsent(self, shown: str, source: str, lines: list[Line], met: set[str]) -> Iterator[_Item]:
        ids = self._scanned.setdefault(source, {})
        for number, line in enumerate(latest(lines), start=1):
            if line.entry is None:
                self._report.unreadable.append(f"{shown}, entry {number}: {line.fault}")
                continue
            item = _item(line.entry)
            ids[item.id] = item.digest
            if item.id not in met and self._state.wants(item.id, item.digest, retry=self._retry):
                self._report.waiting += 1
                yield item
            met.add(item.id)

    def _deliver(self, batch: list[_Item]) -> None:
        """Send `batch`; one that is not taken as a whole is halved until the bad entry is found."""
        body = {"project": self._project, "entries": [item.body for item in batch]}
        try:
            results = _results(self._post(ENDPOINT, body), batch)
        except RefusedError as error:
            if error.status not in _BAD_BODY:
                raise
            if len(batch) > 1:
                middle = len(batch) // 2
                self._deliver(batch[:middle])
                self._deliver(batch[middle:])
                return
            results = [("refused", str(error))]
        for item, (status, reason) in zip(batch, results, strict=True):
            self._report.waiting -= 1
            if status == "refused":
                self._state.refuse(item.id, item.digest, reason)
            else:
                self._state.confirm(item.id, item.digest)
                self._report.confirmed += 1
        self._state.save()


def _batches(items: Iterator[_Item]) -> Iterator[list[_Item]]:
    batch: list[_Item] = []
    size = 0
    for item in items:
        if batch and (len(batch) == MAX_BATCH or size + item.size > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item.size
    if batch:
        yield batch


def _item(entry: GHAPEntry) -> _Item:
    body = entry.to_dict()
    content = json.dumps(body, sort_keys=True).encode("ascii")
    return _Item(entry.id, hashlib.sha256(content).hexdigest()[:32], len(content), body)


def _results(answer: Any, batch: list[_Item]) -> list[tuple[str, str]]:
    """The status and reason of each entry of `batch`; ServerError where the answer does not say them."""
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list) or len(results) != len(batch):
        raise ServerError("the server's answer does not say what became of each entry; is it a memoryserver?")
    verdicts = []
    for item, result in zip(batch, results, strict=True):
        status = result.get("status") if isinstance(result, dict) else None
        if status not in ("stored", "unchanged", "refused") or result.get("id") != item.id:
            raise ServerError(f"the server's answer about {item.id} is not understood; are versions too far apart?")
        verdicts.append((status, str(result.get("reason") or "no reason given")))
    return verdicts


def _signature(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size}:{status.st_mtime_ns}"
