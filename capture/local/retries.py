"""When each queue file is tried next: exponential backoff that survives restarts, and alerts given once."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path

from memoryserver.local import files

_log = logging.getLogger(__name__)
FIRST_PAUSE = 5.0  # seconds
LONGEST_PAUSE = 180.0
ALERT_AFTER = 5  # failed tries of one file


@dataclass(slots=True)
class Retry:
    """How often a file could not be delivered, when it is due again (Unix seconds), and what was said last."""

    attempts: int = 0
    due: float = 0.0
    error: str = ""


class Retries:
    """The retries of the files of one queue, kept in the file at `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.alerted = False
        self._held: dict[str, Retry] = {}
        self._load()

    def is_due(self, name: str, now: float) -> bool:
        """Whether the file `name` may be tried at `now`; also when the clock was turned back since the last try."""
        held = self._held.get(name)
        return held is None or not now < held.due <= now + LONGEST_PAUSE

    def fail(self, name: str, error: str, now: float) -> Retry:
        """Note a failed try: each pause is twice the one before, up to three minutes. Raises OSError."""
        held = self._held.setdefault(name, Retry())
        held.attempts += 1
        held.error = error[:500]
        held.due = now + min(FIRST_PAUSE * 2 ** min(held.attempts - 1, 30), LONGEST_PAUSE)
        self._save()
        return held

    def succeed(self, name: str) -> None:
        """The file is gone from the queue; whatever was alerted of is over. Raises OSError."""
        changed = self._held.pop(name, None) is not None or self.alerted
        self.alerted = False
        if changed:
            self._save()

    def drop(self, name: str) -> None:
        """The file has left the queue otherwise. Raises OSError."""
        if self._held.pop(name, None) is not None:
            self._save()

    def alert_once(self) -> bool:
        """Whether an alert is due: true the first time since the last success. Raises OSError."""
        if self.alerted:
            return False
        self.alerted = True
        self._save()
        return True

    def keep_only(self, names: Collection[str]) -> None:
        """Forget files that are in the queue no more. Raises OSError."""
        gone = [name for name in self._held if name not in names]
        for name in gone:
            del self._held[name]
        if gone:
            self._save()

    def all(self) -> dict[str, Retry]:
        """Every file that could not be delivered so far."""
        return dict(self._held)

    def _load(self) -> None:
        try:
            given = json.loads(self._path.read_bytes())
            self._held = {str(name): Retry(**retry) for name, retry in given["files"].items()}
            self.alerted = given["alerted"] is True
        except FileNotFoundError:
            return
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            # Only the pauses are lost: everything in the queue is due at once.
            _log.warning("%s is corrupt (%s); the retries start over", self._path, error)
            self._held = {}

    def _save(self) -> None:
        content = {"alerted": self.alerted, "files": {name: asdict(retry) for name, retry in self._held.items()}}
        files.write_atomic(self._path, json.dumps(content), durable=False)
