"""The folders that a person, or a fleet's preset, keeps out of the memory: nothing that agents do there is recorded.

    $MEMORYSERVER_HOME/excluded     a folder in each line; `~` is the home folder, lines that begin with `#` are ignored
    $MEMORYSERVER_EXCLUDE           further folders, separated as in $PATH

A folder is excluded with all below it, a repository with its worktrees wherever they are. Each way of capture asks
here before it writes or sends anything, the hook at every tool call; `home_folder.excludes_any` spares it this module
where nothing is excluded.
Where the file cannot be read, everything counts as excluded until it can.
"""

from __future__ import annotations

import os
import sys

from memoryserver.client import home_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

VARIABLE = home_folder.EXCLUDE_VARIABLE
_MAX_BYTES = 1 << 20
_folded = str.lower if sys.platform == "darwin" else os.path.normcase  # file systems there ignore case, mostly


class Exclusions:
    """What is excluded, as of now: real paths of folders, each with where it is written.

    `problems` are the lines that name no folder, and that the file cannot be read, which excludes everything;
    `unreadable` is its path then, and "" otherwise.
    """

    def __init__(self) -> None:
        self.folders: dict[str, str] = {}
        self.problems: list[str] = []
        self.unreadable = ""
        self._known: dict[str, str] = {}
        self._keys: dict[str, bool] | None = None
        for word in os.environ.get(VARIABLE, "").split(os.pathsep):
            self._add(word, VARIABLE)
        try:
            lines = lines_of_file()
        except OSError as error:
            self.unreadable = str(path())
            self.problems.append(f"{path()} cannot be read ({error.strerror or error}), so everything is excluded")
            return
        for line in lines:
            self._add(line, str(path()))

    def __bool__(self) -> bool:
        return bool(self.folders or self.unreadable)

    def _add(self, line: str, source: str) -> None:
        word = line.strip()
        if not word or word.startswith("#"):
            return
        folder = os.path.expanduser(word)
        if os.path.isabs(folder) and "\0" not in folder:
            self.folders.setdefault(os.path.realpath(folder), source)
        else:
            self.problems.append(f"{source} excludes {word[:200]!r}, which is not an absolute path")

    def of(self, folder: str) -> str:
        """Return the excluded folder that `folder` belongs to, "" if it belongs to none.

        `folder` is an absolute path of a folder, which may be gone; "" belongs to none.
        """
        if not self or not folder:
            return ""
        if folder not in self._known:
            self._known[folder] = self._find(folder)
        return self._known[folder]

    def _find(self, folder: str) -> str:
        from memoryserver.client import places

        if self.unreadable:
            return self.unreadable
        try:
            project = places.of(folder)
            real = os.path.realpath(folder)
        except (OSError, ValueError):  # no folder has such a name
            return ""
        return self.around(real) or (self.around(project.main) if project.main else "")

    def around(self, real: str) -> str:
        """Return the excluded folder in which the real path `real` lies, or which it is; "" if there is none."""
        name = _folded(real)
        for folder in self.folders:
            start = _folded(folder)
            if name == start or name.startswith(start.rstrip(os.sep) + os.sep):
                return folder
        return ""

    def has_project(self, key: object) -> bool:
        """Return whether all folders that this laptop knows of the project with that key are excluded.

        For what waits and has no folder, only its project. The folders that belong to no project are none.
        """
        if not self or not isinstance(key, str) or not key:
            return False
        if self.unreadable:
            return True
        if self._keys is None:
            self._keys = self._excluded_keys()
        return self._keys.get(key, False)

    def _excluded_keys(self) -> dict[str, bool]:
        from memoryserver.client import places, sightings

        keys: dict[str, bool] = {}
        for seen in sightings.all_seen():
            is_excluded = bool(self.around(seen.folder) or (seen.main and self.around(seen.main)))
            if is_excluded or os.path.isdir(seen.folder):
                keys[seen.key] = keys.get(seen.key, True) and is_excluded
        for folder in self.folders:
            keys.setdefault(places.of(folder).key(environment=False), True)
        keys.pop(places.NO_PROJECT, None)
        return keys


def path() -> Path:
    """Return the path of the file, which exists while somebody excludes a folder by command."""
    return home_folder.path() / home_folder.EXCLUDED_FILE


def lines_of_file() -> list[str]:
    """Return the lines of the file; none where there is no file. Raises OSError where it cannot be read."""
    try:
        with open(path(), "rb") as file:
            return os.fsdecode(file.read(_MAX_BYTES)).splitlines()
    except FileNotFoundError:
        return []


def of_event(event: dict[str, object]) -> str:
    """Return the excluded folder in which the hook event `event` happened, "" if it happened in none.

    That is one around the folder in which the session began, or around that in which the shell is now.
    """
    if not home_folder.excludes_any():
        return ""
    from memoryserver.client import places

    exclusions = Exclusions()
    return exclusions.of(str(places.of_event(event).root)) or exclusions.of(places.folder_of(event))


def here() -> str:
    """Return the excluded folder in which this process works, "" if it works in none."""
    if not home_folder.excludes_any():
        return ""
    from memoryserver.client import places

    exclusions = Exclusions()
    try:
        return exclusions.of(str(places.here().root)) or exclusions.of(os.getcwd())
    except OSError:  # the folder was removed and has no name
        return ""


def notice(folder: str) -> str:
    """Return what to say about the excluded `folder` where it is shown how things are."""
    from memoryserver.common import text

    return f"nothing is recorded here, since {text.one_line(text.printable(folder))} is kept out"


def refusal(folder: str) -> str:
    """Return why nothing is stored from the excluded `folder`, and who can change that."""
    from memoryserver.common import text

    shown = text.one_line(text.printable(folder))
    return f"nothing was stored: {shown} is excluded from the memory, until a person runs: memory capture include"


def save(folders: Sequence[str], *, removed: Sequence[str] = ()) -> None:
    """Add `folders` to the file and take those lines out of it that name one of `removed`; real paths.

    Comments stay; a file without folders is deleted. Raises OSError and LockTimeoutError.
    """
    from memoryserver.common import files

    home = files.make_folder(home_folder.path())
    with files.lock(home / ".config.lock"):
        lines = [line for line in lines_of_file() if _real(line) not in removed]
        named = set(map(_real, lines))
        lines += [folder for folder in folders if folder not in named]
        if any(map(_real, lines)):
            files.write_atomic(path(), os.fsencode("\n".join(lines) + "\n"))
        else:
            path().unlink(missing_ok=True)


def _real(line: str) -> str:
    word = line.strip()
    return os.path.realpath(os.path.expanduser(word)) if word and not word.startswith("#") else ""
