"""The version of this user's contexts, as the server's last answer of any kind had it.

    $MEMORYSERVER_HOME/context/.version     the server's address and the version, a line each

The server counts it up when something that a context may quote was deleted, hidden or reworded. Copies of contexts with
another version are not shown any more: see `context_cache`.
"""

from __future__ import annotations

import contextlib

from memoryserver.client import home_folder
from memoryserver.common import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

_MAX_BYTES = 2000
_MAX_VERSION = 40  # characters


def record(server: str, version: str) -> None:
    """Record `version` from an answer of `server`; "" (an older server) changes nothing.

    Never raises: where the folder cannot be written, the next answer has the version again.
    """
    content = f"{server}\n{version[:_MAX_VERSION]}"
    if not version or _read() == content:
        return
    with contextlib.suppress(OSError):
        files.make_folder(_path().parent)
        files.write_atomic(_path(), content, durable=False)


def current(server: str) -> str:
    """Return the last version from `server`, "" if there is none."""
    address, _, version = _read().partition("\n")
    return version if address == server else ""


def _read() -> str:
    try:
        with _path().open("rb") as file:
            return file.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _path() -> Path:
    return home_folder.path() / "context" / ".version"
