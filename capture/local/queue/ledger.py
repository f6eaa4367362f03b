"""Records which learnings of all transcripts have been queued, so that a copied history is not queued again.

Resumed, forked and compacted sessions copy messages into other files. A copy keeps its uuid or its time, so
a learning is recognized by either of them with its type and content.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from capture.local.extraction.learning import Learning
from memoryserver.common import files, text

_KEY_BYTES = 8
MOST_KEYS = 200_000


class Ledger:
    """The keys in the file at `path`; read at the first lookup, written by `add`. One process at a time may write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._keys: bytes | None = None

    def knows(self, keys: Iterable[bytes]) -> bool:
        """Return whether it holds any of `keys`. Raises OSError."""
        stored = self._load()
        return any(_contains(stored, key) for key in keys)

    def add(self, keys: Iterable[bytes]) -> None:
        """Add `keys` durably; the oldest half is dropped if there are too many. Raises OSError."""
        new = b"".join(keys)
        if not new:
            return
        stored = self._load() + new
        if len(stored) > MOST_KEYS * _KEY_BYTES:
            stored = stored[-(MOST_KEYS // 2) * _KEY_BYTES :]
            files.write_atomic(self._path, stored)
        else:
            self._append(new)
        self._keys = stored

    def _append(self, new: bytes) -> None:
        files.make_folder(self._path.parent)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            end = os.lseek(descriptor, 0, os.SEEK_END)
            # Overwrite an incomplete key left by a crash.
            os.lseek(descriptor, end - end % _KEY_BYTES, os.SEEK_SET)
            view = memoryview(new)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if end == 0:
            files.sync_folder(self._path.parent)

    def _load(self) -> bytes:
        if self._keys is None:
            try:
                stored = self._path.read_bytes()
            except FileNotFoundError:
                stored = b""
            self._keys = stored[: len(stored) - len(stored) % _KEY_BYTES]
        return self._keys


def key(origin: str, kind: str, content: str) -> bytes:
    """Return the key of a learning that comes from the message with the uuid or time `origin`."""
    parts = "\x1f".join([origin, kind, text.wording(content)])
    return hashlib.blake2b(parts.encode("utf-8", "replace"), digest_size=_KEY_BYTES).digest()


def _contains(stored: bytes, key_bytes: bytes) -> bool:
    place = stored.find(key_bytes)
    while place >= 0 and place % _KEY_BYTES:
        place = stored.find(key_bytes, place + 1)
    return place >= 0


def keys_of(learning: Learning) -> list[bytes]:
    """Return its keys, by its message's uuid and by its time: a copy keeps at least one of them."""
    origins = filter(None, (learning.source_message_uuid, learning.time))
    return [key(origin, learning.type, learning.content) for origin in origins]
