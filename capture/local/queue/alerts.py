"""Troubles that last: each is told once, however often it is met, and its end is told too.

What stands is kept in a JSON file, so that a restart tells nothing twice:

    {KEY: {"since": Unix seconds, "text": what was said last, "told": whether it was}}
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
PERSISTENT = 1800.0  # seconds after which a failure that may pass by itself is told
_LONGEST_TEXT = 1000


Say = Callable[[str], None]  # one sentence; what it raises is logged


@dataclass(slots=True)
class Trouble:
    """Something that went wrong and has not gone right since."""

    since: float
    text: str
    told: bool = False


class Alerts:
    """The troubles kept in the file at `path`, which one process at a time uses.

    `alert` tells people of one, by default the log; `recovered` that it is over. `now` is Unix seconds.
    """

    def __init__(
        self,
        path: Path,
        *,
        alert: Say | None = None,
        recovered: Say | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._alert = alert or _log.error
        self._recovered = recovered or _log.info
        self._now = now
        self._standing = self._load()

    def report(self, key: str, text: str, *, lasting: float = 0.0) -> None:
        """`key` is in trouble; told the first time it has been so for `lasting` seconds."""
        now = self._now()
        trouble = self._standing.get(key)
        if trouble is None:
            trouble = self._standing[key] = Trouble(now, "")
        elif trouble.told:
            return
        known = Trouble(trouble.since, trouble.text)
        trouble.since = min(trouble.since, now)  # the clock was turned back: an hour begins anew
        trouble.text = text[:_LONGEST_TEXT]
        if now - trouble.since >= lasting:
            trouble.told = True  # before it is told: where that, or keeping it, fails, it is not told in every cycle
            self._say(self._alert, trouble.text)
        if trouble != known:
            self._save()

    def clear(self, key: str) -> None:
        """`key` is well; says so where its trouble was told."""
        trouble = self._standing.pop(key, None)
        if trouble is None:
            return
        if trouble.told:
            minutes = max(0, round((self._now() - trouble.since) / 60))
            self._say(self._recovered, f"over after {minutes} min: {trouble.text}")
        self._save()

    def clear_others(self, prefix: str, keys: Collection[str]) -> None:
        """Whatever begins with `prefix` and is not among `keys` is well."""
        for key in [one for one in self._standing if one.startswith(prefix) and one not in keys]:
            self.clear(key)

    def knows(self, key: str) -> bool:
        """Whether `key` is in trouble, told or not."""
        return key in self._standing

    def standing(self) -> dict[str, Trouble]:
        """What has been told and is not over."""
        return {key: trouble for key, trouble in self._standing.items() if trouble.told}

    @staticmethod
    def _say(say: Say, text: str) -> None:
        try:
            say(text)
        except Exception:  # noqa: BLE001 - a way of telling that fails must not stop what is told of
            _log.exception("could not be told: %s", text)

    def _load(self) -> dict[str, Trouble]:
        try:
            given = json.loads(self._path.read_bytes())
            return {
                str(key): Trouble(float(one["since"]), str(one["text"]), one["told"] is True)
                for key, one in given.items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            # The worst of it: something that stands is told once more.
            _log.warning("%s cannot be used (%s); what stands is found anew", self._path, error)
            return {}

    def _save(self) -> None:
        content = {key: asdict(trouble) for key, trouble in self._standing.items()}
        try:
            files.make_folder(self._path.parent)
            files.write_atomic(self._path, json.dumps(content), durable=False)
        except OSError as error:  # a full disk is itself what is to be told; this process remembers
            _log.warning("%s cannot be written: %s", self._path, error)
