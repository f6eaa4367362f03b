"""What `memory install` has put in, so that `memory uninstall` can give each file back as it was.

    $MEMORYSERVER_HOME/installed.json             one record for each file and scope
    $MEMORYSERVER_HOME/installed/NAME             the file's text without what was put in

A file that nobody has touched since is given back to the byte. From any other only what was put in is taken out.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from memoryserver.client import home_folder
from memoryserver.common import files
from memoryserver.common.digest import digest

FILE = "installed.json"
_FOLDER = "installed"


@dataclass(frozen=True)
class Record:
    """One file of one agent: `after` is the digest of what was written, `keep` the containers that were there empty.

    `base` names the text without what was put in, empty where there was no file.
    """

    agent: str
    scope: str
    part: str
    path: str
    root: str = ""
    after: str = ""
    base: str = ""
    keep: list[str] = field(default_factory=list)


def records(agent: str) -> list[Record]:
    """What was put in for `agent`; a damaged list is an empty one, files are then searched for entries."""
    return [one for one in _all() if one.agent == agent]


def find(agent: str, scope: str, path: Path) -> Record | None:
    """The record of a file, if anything was put into it."""
    return next((one for one in _all() if (one.agent, one.scope, one.path) == (agent, scope, str(path))), None)


def base_text(record: Record, current: str | None) -> tuple[bool, str | None]:
    """Whether the file is just as it was written, and if so what was there before, None for no file."""
    if current is None or _digest(current) != record.after:
        return False, None
    if not record.base:
        return True, None
    try:
        return True, (home_folder.path() / _FOLDER / record.base).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return False, None


def note(record: Record, base: str | None, after: str) -> None:
    """Keep that a file with the text `base` was written as `after`. Raises OSError."""
    name = ""
    if base is not None:
        name = digest(f"{record.agent}/{record.scope}/{record.path}")
        files.write_atomic(files.make_folder(home_folder.path() / _FOLDER) / name, base)
    fields = asdict(record) | {"after": _digest(after), "base": name}
    _save([*_without(record), Record(**fields)])


def forget(record: Record) -> None:
    """What was put in is out again. Raises OSError."""
    _save(_without(record))
    if record.base:
        (home_folder.path() / _FOLDER / record.base).unlink(missing_ok=True)


def _without(record: Record) -> list[Record]:
    key = (record.agent, record.scope, record.path)
    return [one for one in _all() if (one.agent, one.scope, one.path) != key]


def _all() -> list[Record]:
    try:
        return [Record(**one) for one in json.loads((home_folder.path() / FILE).read_bytes())["files"]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return []


def _save(kept: list[Record]) -> None:
    files.make_folder(home_folder.path())
    files.write_atomic(home_folder.path() / FILE, json.dumps({"files": [asdict(one) for one in kept]}, indent=2) + "\n")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
