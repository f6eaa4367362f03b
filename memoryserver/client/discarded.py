"""Counts what was discarded unsent to keep within the quota; `memory status` shows it.

$MEMORYSERVER_HOME/outbox/dropped.json     {"tool_calls", "observations", "bytes", "last": Unix seconds}
"""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from memoryserver.client import home_folder
from memoryserver.common import files

_FILE = "dropped.json"


@dataclass
class Discarded:
    """How many were discarded since the count began, how many bytes that was, and when last."""

    tool_calls: int = 0
    observations: int = 0
    bytes: int = 0
    last: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.tool_calls or self.observations)


def load() -> Discarded:
    """Return the count so far; zero where the file is damaged."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        count = json.loads(_path().read_bytes())
        calls, observations = int(count["tool_calls"]), int(count["observations"])
        return Discarded(calls, observations, int(count["bytes"]), float(count["last"]))
    return Discarded()


def add(*, tool_calls: int = 0, observations: int = 0, size: int = 0) -> None:
    """Count what was just discarded, `size` bytes of it. Raises LockTimeoutError and OSError."""
    if not tool_calls and not observations:
        return
    folder = files.make_folder(_path().parent)
    with files.lock(folder / ".dropped.lock"):
        total = load()
        total.tool_calls += tool_calls
        total.observations += observations
        total.bytes += size
        total.last = time.time()
        files.write_atomic(_path(), json.dumps(asdict(total)), durable=False)


def _path() -> Path:
    return home_folder.path() / "outbox" / _FILE
