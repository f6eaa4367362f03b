"""How the last deliveries to the server went, and when the background may try the next one.

    $MEMORYSERVER_HOME/sync.json     {"server", "tried", "succeeded", "error", "failures", "not_before"}, times in
                                     Unix seconds

After a failure the background waits, twice as long each time, from half a minute up to an hour, and never shorter than
the server asks for (Retry-After). A part of the pause is random, so that a team's laptops do not all come at once when
their server is back. A person who runs `memory sync` never waits.
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
from memoryserver.common import backoff, files

FILE = "sync.json"
FIRST_PAUSE = 30.0  # seconds
LONGEST_PAUSE = 3600.0
_MAX_ERROR = 500


@dataclass
class SyncState:
    """The state of the deliveries to `server`; another server starts with an empty one."""

    server: str = ""
    tried: float = 0.0
    succeeded: float = 0.0
    error: str = ""
    failures: int = 0
    not_before: float = 0.0

    def is_due(self, now: float) -> bool:
        """Return whether the background may try; also where the clock was set back since the last attempt."""
        return not now < self.not_before <= now + LONGEST_PAUSE


def load(server: str | None = None) -> SyncState:
    """Return the saved state; an empty one if it is of another server than `server`, or damaged."""
    content: Any = None
    with contextlib.suppress(OSError, ValueError, RecursionError):
        content = json.loads(_path().read_bytes())
    try:
        values = {name: type(default)(content[name]) for name, default in vars(SyncState()).items()}
    except (TypeError, ValueError, KeyError):
        return SyncState(server or "")
    state = SyncState(**values)
    return state if server in (None, state.server) else SyncState(server or "")


def succeed(server: str) -> None:
    """Record that everything was delivered. Raises OSError."""
    now = time.time()
    _save(SyncState(server, tried=now, succeeded=now))


def fail(
    server: str, error: str, *, retry_after: float = 0.0, chance: Callable[[], float] = random.random
) -> SyncState:
    """Record that something still waits because of `error`; return the state with the next attempt.

    `retry_after` is how many seconds the server asked to wait. Raises OSError.
    """
    state, now = load(server), time.time()
    state.tried, state.error = now, error[:_MAX_ERROR]
    state.failures += 1
    pause = backoff.pause(state.failures, first=FIRST_PAUSE, longest=LONGEST_PAUSE) * (0.5 + chance() / 2)
    state.not_before = now + max(pause, min(retry_after, LONGEST_PAUSE))
    _save(state)
    return state


def _path() -> Path:
    return home_folder.path() / FILE


def _save(state: SyncState) -> None:
    files.make_folder(home_folder.path())
    files.write_atomic(_path(), json.dumps(asdict(state)), durable=False)
