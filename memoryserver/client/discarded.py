"""What was given up unsent to keep within the bounds: counted here, shown by `memory status`.

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
class Dropped:
    """How many were given up since the count began, how many bytes that was, and when last."""

    tool_calls: int = 0
    observations: int = 0
    bytes: int = 0
    last: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.tool_calls or self.observations)


def load() -> Dropped:
    """What is counted so far; nothing where the file is damaged."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        kept = json.loads(_path().read_bytes())
        return Dropped(int(kept["tool_calls"]), int(kept["observations"]), int(kept["bytes"]), float(kept["last"]))
    return Dropped()


def note(*, tool_calls: int = 0, observations: int = 0, size: int = 0) -> None:
    """Count what was just given up, `size` bytes of it. Raises LockTimeoutError and OSError."""
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
