"""When each queue file is tried next: exponential backoff that survives restarts."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path

from memoryserver.common import backoff, files

_log = logging.getLogger(__name__)
FIRST_PAUSE = 5.0  # seconds
LONGEST_PAUSE = 180.0  # unless the server asks for more


@dataclass(slots=True)
class Retry:
    """How often a file could not be delivered, when it is due again (Unix seconds), and the last error.

    `since` is when it failed first, `pause` how many seconds lie between the last attempt and the next.
    """

    attempts: int = 0
    due: float = 0.0
    error: str = ""
    since: float = 0.0
    pause: float = 0.0


class Retries:
    """The retries of the files of one queue, kept in the file at `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._retries: dict[str, Retry] = {}
        self._load()

    def is_due(self, name: str, now: float) -> bool:
        """Return whether the file `name` may be tried at `now`; also if the clock was set back meanwhile."""
        return self._seconds_left(name, now) == 0

    def fail(self, name: str, error: str, now: float, retry_after: float = 0.0) -> Retry:
        """Record a failed attempt: each pause is twice the one before, up to three minutes, at least `retry_after`."""
        retry = self._retries.setdefault(name, Retry(since=now))
        retry.attempts += 1
        retry.error = error[:500]
        retry.pause = backoff.pause(retry.attempts, first=FIRST_PAUSE, longest=LONGEST_PAUSE, retry_after=retry_after)
        retry.due = now + retry.pause
        retry.since = min(retry.since or now, now)
        self._save()
        return retry

    def drop(self, name: str) -> None:
        """Remove the file, which has left the queue."""
        if self._retries.pop(name, None) is not None:
            self._save()

    def next_due(self, names: Collection[str], now: float) -> float | None:
        """Return the seconds from `now` until the first of `names` may be tried; None where there are none."""
        return min((self._seconds_left(name, now) for name in names), default=None)

    def failing_since(self, moment: float) -> list[str]:
        """Return the files that have failed since `moment` or longer."""
        return sorted(name for name, retry in self._retries.items() if 0 < retry.since <= moment)

    def keep_only(self, names: Collection[str]) -> None:
        """Remove files that are no longer in the queue."""
        gone = [name for name in self._retries if name not in names]
        for name in gone:
            del self._retries[name]
        if gone:
            self._save()

    def all(self) -> dict[str, Retry]:
        """Return every file that could not be delivered so far."""
        return dict(self._retries)

    def _seconds_left(self, name: str, now: float) -> float:
        retry = self._retries.get(name)
        if retry is None or not now < retry.due <= now + max(retry.pause, LONGEST_PAUSE):
            return 0.0
        return retry.due - now

    def _load(self) -> None:
        try:
            content = json.loads(self._path.read_bytes())
            self._retries = {str(name): Retry(**retry) for name, retry in content["files"].items()}
        except FileNotFoundError:
            return
        except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
            # Only the pauses are lost: everything in the queue is due at once.
            _log.warning("%s cannot be used (%s); the retries start over", self._path, error)
            self._retries = {}

    def _save(self) -> None:
        content = {"files": {name: asdict(retry) for name, retry in self._retries.items()}}
        try:
            files.write_atomic(self._path, json.dumps(content), durable=False)
        except OSError as error:  # on a full disk deliveries must go on: they are what makes room
            _log.warning("%s cannot be written: %s", self._path, error)
