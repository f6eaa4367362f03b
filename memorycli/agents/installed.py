"""Records of what `memory install` added, so that `memory uninstall` can restore each file.

    $MEMORYSERVER_HOME/installed.json             one record for each file and scope
    $MEMORYSERVER_HOME/installed/NAME             the file's text without the added entries

A file that was not changed since is restored to the byte. From any other file only the added entries are removed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field

from memoryserver.client import home_folder
from memoryserver.common import files
from memoryserver.common.digest import digest

FILE = "installed.json"
_FOLDER = "installed"


@dataclass(frozen=True)
class Record:
    """One file of one agent: `after` is the digest of the written text, `keep` the containers that existed before.

    `base` names the file with the text without the added entries; it is empty if there was no file.
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
    """Return the records of `agent`; none if the list is damaged, in which case files are searched for entries."""
    return [record for record in _all() if record.agent == agent]


def find(target: Record) -> Record | None:
    """Return the record of the same file, scope and project as `target`, None if nothing was added there."""
    return next((record for record in _all() if _key(record) == _key(target)), None)


def base_text(record: Record, current: str | None) -> tuple[bool, str | None]:
    """Return whether the file is unchanged since the install, and if so its text before, None for no file."""
    if current is None or _digest(current) != record.after:
        return False, None
    if not record.base:
        return True, None
    try:
        return True, (home_folder.path() / _FOLDER / record.base).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return False, None


def add(record: Record, base: str | None, after: str) -> None:
    """Record that a file with the text `base` was written as `after`. Raises OSError."""
    name = ""
    if base is not None:
        name = digest("/".join(_key(record)))
        files.write_atomic(files.make_folder(home_folder.path() / _FOLDER) / name, base)
    fields = asdict(record) | {"after": _digest(after), "base": name}
    _save([*_without(record), Record(**fields)])


def remove(record: Record) -> None:
    """Remove the record of a file. Raises OSError."""
    _save(_without(record))
    if record.base:
        (home_folder.path() / _FOLDER / record.base).unlink(missing_ok=True)


def _without(record: Record) -> list[Record]:
    return [other for other in _all() if _key(other) != _key(record)]


def _key(record: Record) -> tuple[str, str, str, str]:
    """Return what tells two records apart: servers of several projects are in one file."""
    return record.agent, record.scope, record.path, record.root


def _all() -> list[Record]:
    try:
        return [Record(**fields) for fields in json.loads((home_folder.path() / FILE).read_bytes())["files"]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return []


def _save(records: list[Record]) -> None:
    files.make_folder(home_folder.path())
    text = json.dumps({"files": list(map(asdict, records))}, indent=2) + "\n"
    files.write_atomic(home_folder.path() / FILE, text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
