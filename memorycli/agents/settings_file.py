"""A settings file of another program: read it, back it up, and replace it atomically."""

from __future__ import annotations

import difflib
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from memoryserver.client import home_folder
from memoryserver.common import files
from memoryserver.common.digest import digest

BACKUPS = "backups"
KEPT_BACKUPS = 5  # of each file
_PRIVATE, _SHARED = 0o600, 0o644


class SettingsError(Exception):
    """A settings file cannot be read or edited; the message is one line with its name. Nothing was changed."""


@dataclass(frozen=True)
class Change:
    """The planned change of the file at `path`: its text before and after, None for no file.

    `shared`: a new file is readable by everybody who works in the project, not only by its owner.
    """

    path: Path
    before: str | None
    after: str | None
    shared: bool = False

    def diff(self) -> str:
        """Return the change as a unified diff."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(old, new, str(self.path), str(self.path))
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def read(path: Path) -> str | None:
    """Return the text of the file, None if there is none. Raises SettingsError."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8, nothing was changed"
        ) from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror or error}; nothing was changed") from error


def apply(change: Change) -> Path | None:
    """Apply `change` and return the backup of the previous text, None if there was no file.

    If `path` is a symbolic link, its target is replaced. The file keeps its mode. Raises SettingsError if the file has
    changed since the change was planned, and OSError.
    """
    target = Path(os.path.realpath(change.path))
    if read(target) != change.before:
        raise SettingsError(f"{change.path} was changed by another program in the meantime; run the command again")
    backup = _back_up(target, change.before) if change.before is not None else None
    if change.after is None:
        target.unlink()
        files.sync_folder(target.parent)
        return backup
    mode = target.stat().st_mode & 0o7777 if change.before is not None else _SHARED if change.shared else _PRIVATE
    _make_folder(target.parent, shared=change.shared)
    files.write_atomic(target, change.after, mode=mode)
    if target.stat().st_mode & 0o7777 != mode and change.before is not None:
        os.chmod(target, mode)  # the umask has removed permissions
    return backup


def backups_of(path: Path) -> list[Path]:
    """Return the backups of the file, oldest first."""
    suffix = _suffix(Path(os.path.realpath(path)))
    return sorted((home_folder.path() / BACKUPS).glob(f"*-{suffix}"))


def _back_up(path: Path, text: str) -> Path:
    folder = files.make_folder(home_folder.path() / BACKUPS)
    moment = time.time_ns()
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(moment // 10**9))
    backup = folder / f"{stamp}.{moment % 10**9:09}Z-{_suffix(path)}"
    files.write_atomic(backup, text)
    for old in backups_of(path)[:-KEPT_BACKUPS]:
        old.unlink(missing_ok=True)
    return backup


def _suffix(path: Path) -> str:
    """Return the end of the names of a file's backups; it differs for files of one name in two folders."""
    return f"{digest(os.fsencode(path), 4)}-{re.sub(r'[^A-Za-z0-9._-]', '_', path.name)[:60].lstrip('.')}"


def _make_folder(folder: Path, *, shared: bool) -> None:
    if shared:
        folder.mkdir(parents=True, exist_ok=True)
    else:
        files.make_folder(folder)
