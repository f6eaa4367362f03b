"""The folders in which agents worked lately, as their transcripts say: where journals lie that want to be sent.

$MEMORYSERVER_HOME/capture_state/.workplaces.json     {FOLDER: Unix seconds of when work in it was last seen}
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
MOST = 200
FORGOTTEN_AFTER = 60 * 86_400.0  # seconds


class Workplaces:
    """Those kept in the file at `path`, which one process at a time uses. `now` is Unix seconds."""

    def __init__(self, path: Path, *, now: Callable[[], float] = time.time) -> None:
        self._path = path
        self._now = now
        self._seen = self._load()

    def note(self, folders: Iterable[str]) -> list[Path]:
        """Work was seen in `folders`; the roots of their projects, as far as they are on this machine."""
        roots = list(dict.fromkeys(filter(None, map(_root_of, folders))))
        if roots:
            now = self._now()
            self._seen.update({str(root): now for root in roots})
            latest = sorted(self._seen.items(), key=lambda one: -one[1])[:MOST]
            self._seen = {root: seen for root, seen in latest if now - seen < FORGOTTEN_AFTER}
            self._save()
        return roots

    def roots(self) -> list[Path]:
        """The roots of the projects worked in lately that are on this machine now."""
        return [root for root in map(Path, self._seen) if root.is_dir()]

    def _load(self) -> dict[str, float]:
        try:
            given = json.loads(self._path.read_bytes())
            return {str(root): float(seen) for root, seen in given.items()}
        except FileNotFoundError:
            return {}
        except (OSError, AttributeError, TypeError, ValueError, RecursionError) as error:
            # They are seen again as soon as work in them goes on.
            _log.warning("%s cannot be used (%s); it begins anew", self._path, error)
            return {}

    def _save(self) -> None:
        files.make_folder(self._path.parent)
        files.write_atomic(self._path, json.dumps(self._seen), durable=False)


def _root_of(folder: str) -> Path | None:
    """Of a folder of this machine; agents also work on others', whose paths mean nothing here."""
    path = Path(folder)
    try:
        return places.project_root(path) if path.is_absolute() and path.is_dir() else None
    except (OSError, ValueError):  # not to be looked at, or no name that a folder can have
        return None
