"""The queue: one file for each capture, written atomically and never changed.

learning_queue/1704888000_CONTEXT_ID.json    Unix seconds; `1704888000-2_...` for a second file in that second
learning_queue/failed/NAME.json, NAME.reason files that cannot be stored, and why
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
from capture.local.extraction.revocations import Statement
from memoryserver.common import files
from memoryserver.common.text import clean_json

QUEUE_FOLDER = "learning_queue"  # in the home folder
FAILED_FOLDER = "failed"
LIMIT_BYTES = 100 * 1024 * 1024
_NAME = re.compile(r"(\d{1,12})(?:-(\d{1,6}))?_(.+)\.json")
_NAMESPACE = uuid.UUID("5b1f0f6e-3b0e-4b56-9d1c-6f0d3b8f8a11")


class QueueFullError(Exception):
    """The queue is at its size limit; the message says how to empty it."""


@dataclass(frozen=True, slots=True)
class QueueFile:
    """The learnings of one capture; no other file is needed to store them.

    `withdrawn` are those of earlier captures of the same transcript that the agent took back since.
    """

    context_id: str
    captured_at: str
    message_range: tuple[int, int]
    compaction_number: int
    learnings: Sequence[Learning]
    metadata: dict[str, Any] = field(default_factory=dict)
    withdrawn: Sequence[Statement] = ()

    @property
    def capture_id(self) -> str:
        """Return the id of the capture, the same for the same range of the same transcript."""
        first, last = self.message_range
        return str(uuid.uuid5(_NAMESPACE, f"{self.context_id}/{self.compaction_number}/{first}-{last}"))

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the file; `withdrawn` is left out if empty."""
        content: dict[str, Any] = {
            "capture_id": self.capture_id,
            "context_id": self.context_id,
            "captured_at": self.captured_at,
            "message_range": list(self.message_range),
            "compaction_number": self.compaction_number,
            "learnings": [learning.to_dict() for learning in self.learnings],
            "metadata": self.metadata,
        }
        withdrawn = [statement._asdict() for statement in self.withdrawn]
        return {**content, "withdrawn": withdrawn} if withdrawn else content


class QueueWriter:
    """Writes queue files into `folder`; `now` returns Unix seconds.

    The folder is listed once, at the first write: later deliveries only free space.
    """

    def __init__(self, folder: Path, *, limit: int | None = None, now: Callable[[], float] = time.time) -> None:
        self.folder = folder
        self._limit = LIMIT_BYTES if limit is None else limit
        self._now = now
        self._sizes: dict[str, int] | None = None  # of the waiting files, by name

    def write(self, queue_file: QueueFile) -> Path:
        """Write `queue_file` into the queue, durably and atomically, and return its path.

        A capture that is already waiting, after a crash between the queue file and the marks, is not written
        again. Raises QueueFullError when the queue has reached its limit, and OSError; no file is left then.
        """
        files.make_folder(self.folder)
        queued = clean_json(queue_file.to_dict())
        content = json.dumps(queued).encode("ascii")
        sizes = self._list() if self._sizes is None else self._sizes
        existing = self._existing(queued, queue_file.context_id, sizes)
        if existing is not None:
            return existing
        if sum(sizes.values()) + len(content) > self._limit:
            sizes = self._list()
        if sum(sizes.values()) + len(content) > self._limit:
            raise QueueFullError(
                f"the queue {self.folder} has reached its limit of {self._limit // 1024} KiB;"
                " deliver it with `memory capture push`; capture then continues"
            )
        path = self._free_path(queue_file.context_id)
        files.write_atomic(path, content)
        sizes[path.name] = len(content)
        return path

    def _list(self) -> dict[str, int]:
        self._sizes = {path.name: size(path) for path in waiting(self.folder)}
        return self._sizes

    def _existing(self, queued: Any, context_id: str, sizes: dict[str, int]) -> Path | None:
        """Return the transcript's last file, if it holds the same capture with all its learnings."""
        name = next((name for name in reversed(sizes) if name.endswith(f"_{context_id}.json")), None)
        if name is None:
            return None
        try:
            last = json.loads((self.folder / name).read_bytes())
            same = last["capture_id"] == queued["capture_id"]
            if same and all(learning in last["learnings"] for learning in queued["learnings"]):
                return self.folder / name
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None  # already delivered, or not a queue file: the processor handles it
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
    """Return the queue files in `folder`, the oldest first: by the number in the name, not by the name as text."""
    return sorted(folder.glob("[!.]*.json"), key=_order)


def failed(folder: Path) -> list[tuple[Path, str]]:
    """Return the queue files in `folder` that cannot be stored, oldest first, each with the reason."""
    entries = []
    for path in waiting(folder / FAILED_FOLDER):
        try:
            reason = path.with_suffix(".reason").read_text("utf-8", errors="replace").strip()
        except FileNotFoundError:
            reason = "no reason was kept"
        entries.append((path, reason))
    return entries


def set_aside(path: Path, reason: str) -> Path:
    """Move the queue file `path` to the failed ones, `reason` next to it, and return its new path. Raises OSError."""
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
    """Return the sort key; a file with another name comes first, so that it is processed at once."""
    match = _NAME.fullmatch(path.name)
    return (int(match[1]), int(match[2] or 1), path.name) if match else (0, 0, path.name)


def size(path: Path) -> int:
    """Return the size of a queue file in bytes; 0 if it has just been delivered."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
