"""When each queue file is tried next: exponential backoff that survives restarts."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path

from memoryserver.common import files

_log = logging.getLogger(__name__)
FIRST_PAUSE = 5.0  # seconds
LONGEST_PAUSE = 180.0


@dataclass(slots=True)
class Retry:
    """How often a file could not be delivered, when it is due again (Unix seconds), and what was said last.

    `since` is when it failed first.
    """

    attempts: int = 0
    due: float = 0.0
    error: str = ""
    since: float = 0.0


class Retries:
    """The retries of the files of one queue, kept in the file at `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: dict[str, Retry] = {}
        self._load()

    def is_due(self, name: str, now: float) -> bool:
        """Whether the file `name` may be tried at `now`; also when the clock was turned back since the last try."""
        return self._seconds_left(name, now) == 0

    def fail(self, name: str, error: str, now: float) -> Retry:
        """Note a failed try: each pause is twice the one before, up to three minutes."""
        held = self._held.setdefault(name, Retry(since=now))
        held.attempts += 1
        held.error = error[:500]
        held.due = now + min(FIRST_PAUSE * 2 ** min(held.attempts - 1, 30), LONGEST_PAUSE)
        held.since = min(held.since or now, now)
        self._save()
        return held

    def drop(self, name: str) -> None:
        """The file has left the queue."""
        if self._held.pop(name, None) is not None:
            self._save()

    def next_due(self, names: Collection[str], now: float) -> float | None:
        """Seconds from `now` until the first of `names` may be tried; None where there are none."""
        return min((self._seconds_left(name, now) for name in names), default=None)

    def failing_since(self, moment: float) -> list[str]:
        """The files that have failed since `moment` or longer."""
        return sorted(name for name, held in self._held.items() if 0 < held.since <= moment)

    def keep_only(self, names: Collection[str]) -> None:
        """Forget files that are in the queue no more."""
        gone = [name for name in self._held if name not in names]
        for name in gone:
            del self._held[name]
        if gone:
            self._save()

    def all(self) -> dict[str, Retry]:
        """Every file that could not be delivered so far."""
        return dict(self._held)

    def _seconds_left(self, name: str, now: float) -> float:
        held = self._held.get(name)
        return held.due - now if held is not None and now < held.due <= now + LONGEST_PAUSE else 0.0

    def _load(self) -> None:
        try:
            given = json.loads(self._path.read_bytes())
            self._held = {str(name): Retry(**retry) for name, retry in given["files"].items()}
        except FileNotFoundError:
            return
        except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
            # Only the pauses are lost: everything in the queue is due at once.
            _log.warning("%s cannot be used (%s); the retries start over", self._path, error)
            self._held = {}

    def _save(self) -> None:
        content = {"files": {name: asdict(retry) for name, retry in self._held.items()}}
        try:
            files.write_atomic(self._path, json.dumps(content), durable=False)
        except OSError as error:  # on a full disk deliveries must go on: they are what makes room
            _log.warning("%s cannot be written: %s", self._path, error)
