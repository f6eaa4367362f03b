"""Remembers what scans leave out, so that each file or folder is reported once and not in every cycle.

capture_state/.skipped.json    {PATH: REASON} of what the last scan left out
"""

from __future__ import annotations

import json
from pathlib import Path

from memoryserver.common import files
from memoryserver.common.text import clean

SKIPPED_FILE = ".skipped.json"
_MOST = 1000  # remembered; a folder with more is reported again


class Skipped:
    """What one scan leaves out, in the folder of the states; `new` are those that the scan before did not."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / SKIPPED_FILE
        self._before = load(folder)
        self._now: dict[str, str] = {}
        self.new: list[str] = []

    def add(self, path: Path, reason: str) -> None:
        """Record that `path` is left out: `reason` is a sentence of which the path is the subject."""
        name = clean(str(path))
        if name in self._now:
            return
        self._now[name] = reason
        if self._before.get(name) != reason:
            self.new.append(f"{name}: {reason}")

    def keep(self, path: Path) -> None:
        """Record that `path` was not looked at because it has not changed: what was said of it is still true."""
        name = clean(str(path))
        if name in self._before:
            self._now.setdefault(name, self._before[name])

    def save(self) -> None:
        """Record what was left out for the next scan. Raises OSError."""
        if self._now != self._before:
            content = dict(list(self._now.items())[:_MOST])
            files.write_atomic(self._path, json.dumps(content, ensure_ascii=False), durable=False)


def load(folder: Path) -> dict[str, str]:
    """Return what the last scan left out, by path; nothing if there was none or its record is damaged."""
    try:
        content = json.loads((folder / SKIPPED_FILE).read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {str(path): str(reason) for path, reason in content.items()}
