"""The queue: one file for each capture, written whole before anything else is done with it, never changed.

learning_queue/1704888000_CONTEXT.json       Unix seconds; `1704888000-2_...` for a second one in that second
learning_queue/failed/NAME.json, NAME.reason what can never be stored, and why
"""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from capture.local.extraction.learning import Learning
from memoryserver.common import files
from memoryserver.common.text import clean_json

FAILED_FOLDER = "failed"
LIMIT_BYTES = 100 * 1024 * 1024
_NAME = re.compile(r"(\d{1,12})(?:-(\d{1,6}))?_(.+)\.json")
_NAMESPACE = uuid.UUID("5b1f0f6e-3b0e-4b56-9d1c-6f0d3b8f8a11")


class QueueFullError(Exception):
    """The queue is at its size limit; the text says how to get it moving again."""


@dataclass(frozen=True, slots=True)
class QueueFile:
    """What one capture found, complete in itself: no other file is needed to store it."""

    context_id: str
    captured_at: str
    message_range: tuple[int, int]
    compaction_number: int
    learnings: Sequence[Learning]
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def capture_id(self) -> str:
        """The same for the same range of the same context: a capture that is repeated is known by it."""
        first, last = self.message_range
        return str(uuid.uuid5(_NAMESPACE, f"{self.context_id}/{self.compaction_number}/{first}-{last}"))

    def to_dict(self) -> dict[str, Any]:
        """As the file holds it."""
        return {
            "capture_id": self.capture_id,
            "context_id": self.context_id,
            "captured_at": self.captured_at,
            "message_range": list(self.message_range),
            "compaction_number": self.compaction_number,
            "learnings": [learning.to_dict() for learning in self.learnings],
            "metadata": self.metadata,
        }


class QueueWriter:
    """Writes queue files into `folder`; `now` gives Unix seconds.

    What lies in the folder is looked up once, at the first write: deliveries meanwhile only make room.
    """

    def __init__(self, folder: Path, *, limit: int | None = None, now: Callable[[], float] = time.time) -> None:
        self.folder = folder
        self._limit = LIMIT_BYTES if limit is None else limit
        self._now = now
        self._held: dict[str, int] | None = None  # name: size of each file that waits

    def write(self, queue_file: QueueFile) -> Path:
        """Put `queue_file` into the queue, durably and whole, and return where.

        The same capture that waits already is not written again: it lies there since a crash between the queue
        file and the marks. Raises QueueFullError when the queue has reached its limit, and OSError; nothing is
        left behind then.
        """
        files.make_folder(self.folder)
        given = clean_json(queue_file.to_dict())
        content = json.dumps(given).encode("ascii")
        held = self._look() if self._held is None else self._held
        same = self._same(given, queue_file.context_id, held)
        if same is not None:
            return same
        if sum(held.values()) + len(content) > self._limit:
            held = self._look()
        if sum(held.values()) + len(content) > self._limit:
            raise QueueFullError(
                f"the queue {self.folder} has reached its limit of {self._limit // 1024} KiB;"
                " deliver it with `memory capture process`, capture goes on by itself then"
            )
        path = self._free_path(queue_file.context_id)
        files.write_atomic(path, content)
        held[path.name] = len(content)
        return path

    def _look(self) -> dict[str, int]:
        self._held = {path.name: size(path) for path in waiting(self.folder)}
        return self._held

    def _same(self, given: Any, context_id: str, held: dict[str, int]) -> Path | None:
        """The context's last file, if it holds the same capture with all its learnings."""
        name = next((name for name in reversed(held) if name.endswith(f"_{context_id}.json")), None)
        if name is None:
            return None
        try:
            waits = json.loads((self.folder / name).read_bytes())
            same = waits["capture_id"] == given["capture_id"]
            if same and all(learning in waits["learnings"] for learning in given["learnings"]):
                return self.folder / name
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None  # delivered meanwhile, or no queue file: the processor deals with it
        return None

    def _free_path(self, context_id: str) -> Path:
        second = int(self._now())
        name = f"{second}_{context_id}.json"
        number = 2
        while any(os.path.lexists(folder / name) for folder in (self.folder, self.folder / FAILED_FOLDER)):
            name = f"{second}-{number}_{context_id}.json"
            number += 1
        return self.folder / name


def waiting(folder: Path) -> list[Path]:
    """The queue files in `folder`, the oldest first: by the number in the name, not by the name as text."""
    return sorted(folder.glob("[!.]*.json"), key=_order)


def failed(folder: Path) -> list[tuple[Path, str]]:
    """The queue files in `folder` that can never be stored, oldest first, each with the reason."""
    found = []
    for path in waiting(folder / FAILED_FOLDER):
        try:
            reason = path.with_suffix(".reason").read_text("utf-8", errors="replace").strip()
        except FileNotFoundError:
            reason = "no reason was kept"
        found.append((path, reason))
    return found


def set_aside(path: Path, reason: str) -> Path:
    """Move the queue file `path` to the failed ones, `reason` beside it. Raises OSError."""
    folder = files.make_folder(path.parent / FAILED_FOLDER)
    # The reason first: a crash between the two leaves the file in the queue, where it fails again.
    files.write_atomic((folder / path.name).with_suffix(".reason"), reason + "\n")
    os.replace(path, folder / path.name)
    files.sync_folder(folder)
    files.sync_folder(path.parent)
    return folder / path.name


def put_back(path: Path) -> Path:
    """Move a failed queue file back into the queue. Raises OSError."""
    target = path.parent.parent / path.name
    os.replace(path, target)
    path.with_suffix(".reason").unlink(missing_ok=True)
    files.sync_folder(target.parent)
    return target


def _order(path: Path) -> tuple[int, int, str]:
    """A file that is not named as it should be comes first, so that it does not lie there for ever."""
    match = _NAME.fullmatch(path.name)
    return (int(match[1]), int(match[2] or 1), path.name) if match else (0, 0, path.name)


def size(path: Path) -> int:
    """Bytes of a queue file; 0 if it was delivered meanwhile."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
