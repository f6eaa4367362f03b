"""How the last deliveries to the server went, and when the next may be tried without being asked.

    $MEMORYSERVER_HOME/sync.json     {"server", "tried", "succeeded", "error", "failures", "not_before"}, times in
                                     Unix seconds

After a failure the background waits, twice as long each time, from half a minute up to an hour; a part of that is
chance, so that a team's laptops do not come all at once when their server is back. A person who asks never waits.
"""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memoryserver.client import home_folder
from memoryserver.common import files

FILE = "sync.json"
FIRST_PAUSE = 30.0  # seconds
LONGEST_PAUSE = 3600.0
_MAX_ERROR = 500


@dataclass
class SyncState:
    """What is known of `server`; another server has a clean sheet."""

    server: str = ""
    tried: float = 0.0
    succeeded: float = 0.0
    error: str = ""
    failures: int = 0
    not_before: float = 0.0

    def is_due(self, now: float) -> bool:
        """Whether the background may try; also where the clock was set back since the last try."""
        return not now < self.not_before <= now + LONGEST_PAUSE


def load(server: str | None = None) -> SyncState:
    """What is kept; of another server than `server`, and where it is damaged, nothing."""
    kept: Any = None
    with contextlib.suppress(OSError, ValueError, RecursionError):
        kept = json.loads(_path().read_bytes())
    try:
        known = {name: type(default)(kept[name]) for name, default in vars(SyncState()).items()}
    except (TypeError, ValueError, KeyError):
        return SyncState(server or "")
    state = SyncState(**known)
    return state if server in (None, state.server) else SyncState(server or "")


def succeed(server: str) -> None:
    """All that there was has been taken. Raises OSError."""
    now = time.time()
    _save(SyncState(server, tried=now, succeeded=now))


def fail(server: str, error: str, *, chance: Callable[[], float] = random.random) -> SyncState:
    """Something stays behind, for the reason `error`; the state with the next try. Raises OSError."""
    state, now = load(server), time.time()
    state.tried, state.error = now, error[:_MAX_ERROR]
    pause = min(FIRST_PAUSE * 2 ** min(state.failures, 20), LONGEST_PAUSE)
    state.failures += 1
    state.not_before = now + pause * (0.5 + chance() / 2)
    _save(state)
    return state


def _path() -> Path:
    return home_folder.path() / FILE


def _save(state: SyncState) -> None:
    files.make_folder(home_folder.path())
    files.write_atomic(_path(), json.dumps(asdict(state)), durable=False)
