"""The projects in which agents worked lately, according to their transcripts: their journals are to be sent.

$MEMORYSERVER_HOME/capture_state/.workplaces.json     {FOLDER: Unix seconds of the latest work in it}
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from memoryserver.client import places
from memoryserver.common import files

_log = logging.getLogger(__name__)
FILE = ".workplaces.json"
MAX_PROJECTS = 200
FORGOTTEN_AFTER = 60 * 86_400.0  # seconds


class Workplaces:
    """The projects in the file at `path`; one process at a time may use it. `now` returns Unix seconds."""

    def __init__(self, path: Path, *, now: Callable[[], float] = time.time) -> None:
        self._path = path
        self._now = now
        self._seen = self._load()

    def record(self, folders: Iterable[str]) -> list[Path]:
        """Record work in `folders`; return the roots of those projects that are on this machine."""
        roots = list(dict.fromkeys(filter(None, map(_root_of, folders))))
        if roots:
            now = self._now()
            self._seen.update({str(root): now for root in roots})
            latest = sorted(self._seen.items(), key=lambda entry: -entry[1])[:MAX_PROJECTS]
            self._seen = {root: seen for root, seen in latest if now - seen < FORGOTTEN_AFTER}
            self._save()
        return roots

    def roots(self) -> list[Path]:
        """Return the roots of the recorded projects that are on this machine now."""
        return [root for root in map(Path, self._seen) if root.is_dir()]

    def _load(self) -> dict[str, float]:
        try:
            content = json.loads(self._path.read_bytes())
            return {str(root): float(seen) for root, seen in content.items()}
        except FileNotFoundError:
            return {}
        except (OSError, AttributeError, TypeError, ValueError, RecursionError) as error:
            # A project is recorded again at the next work in it.
            _log.warning("%s cannot be used (%s); it starts empty", self._path, error)
            return {}

    def _save(self) -> None:
        files.make_folder(self._path.parent)
        files.write_atomic(self._path, json.dumps(self._seen), durable=False)


def _root_of(folder: str) -> Path | None:
    """Return the root of the project of `folder`; None if it is not on this machine: transcripts name others' too."""
    path = Path(folder)
    try:
        return places.of(path).root if path.is_absolute() and path.is_dir() else None
    except (OSError, ValueError):  # not readable, or not a valid name of a folder
        return None
