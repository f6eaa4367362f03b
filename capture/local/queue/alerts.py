"""Alerts about lasting troubles: one when a trouble has lasted long enough, and one when it is over.

The troubles are kept in a JSON file, so that nothing is sent twice after a restart:

    {KEY: {"since": Unix seconds, "text": the last message, "told": whether an alert was sent}}
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from pathlib import Path

from memoryserver.common import files

_log = logging.getLogger(__name__)
PERSISTENT = 1800.0  # seconds after which a failure that may be temporary is reported
_LONGEST_TEXT = 1000


Notify = Callable[[str], None]  # takes one sentence; its errors are logged


@dataclass(slots=True)
class Trouble:
    """A failure that is not over: since when (Unix seconds), its last message, and whether an alert was sent."""

    since: float
    text: str
    told: bool = False


class Alerts:
    """The troubles in the file at `path`; one process at a time may use it.

    `alert` is called with the message of a trouble, `recovered` when it is over; by default both write to the log.
    `now` returns Unix seconds.
    """

    def __init__(
        self,
        path: Path,
        *,
        alert: Notify | None = None,
        recovered: Notify | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._alert = alert or _log.error
        self._recovered = recovered or _log.info
        self._now = now
        self._troubles = self._load()

    def report(self, key: str, text: str, *, lasting: float = 0.0) -> None:
        """Record that `key` is in trouble; send an alert, once, when it has been for `lasting` seconds."""
        now = self._now()
        trouble = self._troubles.get(key)
        if trouble is None:
            trouble = self._troubles[key] = Trouble(now, "")
        elif trouble.told:
            return
        previous = Trouble(trouble.since, trouble.text)
        trouble.since = min(trouble.since, now)  # the clock was set back: the time starts over
        trouble.text = text[:_LONGEST_TEXT]
        if now - trouble.since >= lasting:
            trouble.told = True  # set first: if the alert or saving fails, it is not repeated in every cycle
            self._notify(self._alert, trouble.text)
        if trouble != previous:
            self._save()

    def clear(self, key: str) -> None:
        """Record that `key` is not in trouble; if an alert was sent, say that it is over."""
        trouble = self._troubles.pop(key, None)
        if trouble is None:
            return
        if trouble.told:
            minutes = max(0, round((self._now() - trouble.since) / 60))
            self._notify(self._recovered, f"over after {minutes} min: {trouble.text}")
        self._save()

    def clear_others(self, prefix: str, keys: Collection[str]) -> None:
        """Clear each key that begins with `prefix` and is not among `keys`."""
        for key in [key for key in self._troubles if key.startswith(prefix) and key not in keys]:
            self.clear(key)

    def is_reported(self, key: str) -> bool:
        """Return whether `key` is in trouble, with or without an alert."""
        return key in self._troubles

    def alerted(self) -> dict[str, Trouble]:
        """Return the troubles that are not over and for which an alert was sent, by key."""
        return {key: trouble for key, trouble in self._troubles.items() if trouble.told}

    @staticmethod
    def _notify(notify: Notify, text: str) -> None:
        try:
            notify(text)
        except Exception:  # noqa: BLE001 - a notification that fails must not stop the caller
            _log.exception("could not send the alert: %s", text)

    def _load(self) -> dict[str, Trouble]:
        try:
            content = json.loads(self._path.read_bytes())
            return {
                str(key): Trouble(float(fields["since"]), str(fields["text"]), fields["told"] is True)
                for key, fields in content.items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            # At worst an alert is sent a second time.
            _log.warning("%s cannot be used (%s); it starts empty", self._path, error)
            return {}

    def _save(self) -> None:
        content = {key: asdict(trouble) for key, trouble in self._troubles.items()}
        try:
            files.make_folder(self._path.parent)
            files.write_atomic(self._path, json.dumps(content), durable=False)
        except OSError as error:  # the alert may be about this full disk; this process still remembers it
            _log.warning("%s cannot be written: %s", self._path, error)
