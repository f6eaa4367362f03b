"""Unpacks versions of the client, changes which one is in use, and removes old ones.

At every moment `current` is a whole version: a new one is unpacked beside it and tried before it is used, and a failure
leaves the one in use as it is.
"""

from __future__ import annotations

import compileall
import hashlib
import io
import os
import shutil
import subprocess
import tempfile
import uuid
import zipfile
from pathlib import Path, PurePosixPath

from memorycli.installation.layout import Installed, Layout
from memoryserver.common import files

_MAX_UNPACKED = 64 * 1024 * 1024  # bytes
_PROGRAM = "__main__.py"  # what Python runs of the archive itself; the code below has its own
_TRY = "import sys; sys.path.insert(0, sys.argv[1]); from memorycli.main import main; sys.exit(main(['status', '-h']))"


class InstallationError(Exception):
    """The version cannot be installed; the text is one sentence, and what was in use is unchanged."""


def install(layout: Layout, archive: bytes, version: str, *, launcher: str = "") -> Installed:
    """Unpack `archive`, try it, use it from now on, and return the record. The version before is kept.

    The caller holds the lock. Raises InstallationError and OSError.
    """
    sha256 = hashlib.sha256(archive).hexdigest()
    name = f"{_plain(version)}-{sha256[:12]}"
    folder = layout.versions / name
    before = layout.installed()
    in_use = layout.current if before and before.name == name else folder
    if not in_use.is_dir() or not _starts(layout.python, in_use):
        shutil.rmtree(folder, ignore_errors=True)
        _unpack(archive, folder)
        _try(layout.python, folder)
    _use(layout, name, before)
    previous = "" if before is None else before.previous if before.name == name else before.name
    installed = Installed(version, sha256, name, previous, launcher or (before.launcher if before else ""))
    layout.record(installed)
    _remove_others(layout, {name, previous})
    return installed


def roll_back(layout: Layout) -> Installed:
    """Use the version before, and return its record; doing it again undoes it. Raises InstallationError, OSError."""
    now = layout.installed()
    if now is None or not now.previous or not (layout.versions / now.previous).is_dir():
        raise InstallationError("there is no version before this one")
    _try(layout.python, layout.versions / now.previous)
    _use(layout, now.previous, now)
    version = now.previous.rpartition("-")[0]
    installed = Installed(version, "", now.previous, now.name, now.launcher)
    layout.record(installed)
    return installed


def _plain(version: str) -> str:
    return "".join(letter if letter.isalnum() or letter in ".+" else "_" for letter in version)[:40] or "unknown"


def _unpack(archive: bytes, folder: Path) -> None:
    """Unpack the archive into `folder`, which exists only once it is complete."""
    files.make_folder(folder.parent)
    part = Path(tempfile.mkdtemp(prefix=".part-", dir=folder.parent))
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            entries = [entry for entry in opened.infolist() if entry.filename != _PROGRAM]
            if sum(entry.file_size for entry in entries) > _MAX_UNPACKED:
                raise InstallationError("the client's archive is larger than any client; nothing was changed")
            for entry in entries:
                _check_name(entry.filename)
                opened.extract(entry, part)
        compileall.compile_dir(part, quiet=2)  # a hook must not compile at its first call
        os.replace(part, folder)
    except zipfile.BadZipFile as error:
        raise InstallationError(f"the client's archive is damaged ({error}); nothing was changed") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _check_name(name: str) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise InstallationError(f"the client's archive has a file outside of its folder ({name[:60]!r})")


def _try(python: Path, folder: Path) -> None:
    """Run the code in `folder` once. Raises InstallationError if it does not start, and removes nothing."""
    done = subprocess.run(
        [str(python), "-I", "-c", _TRY, str(folder)], capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no message"]
        raise InstallationError(f"the new client does not start on this Python ({last[0][:200]}); nothing was changed")


def _starts(python: Path, folder: Path) -> bool:
    try:
        _try(python, folder)
    except InstallationError:
        return False
    return True


def _use(layout: Layout, name: str, before: Installed | None) -> None:
    """Make the version `name` the current one."""
    if os.name == "nt":
        _move_into_place(layout, name, before)
        return
    link = layout.root / f".current-{uuid.uuid4().hex}"
    os.symlink(Path("versions") / name, link)
    os.replace(link, layout.current)  # atomic: no hook finds nothing there


def _move_into_place(layout: Layout, name: str, before: Installed | None) -> None:
    """Do the same where a symbolic link needs a privilege: by moving folders."""
    if before is not None and before.name == name and layout.current.is_dir():
        return
    if layout.current.is_dir() and before is not None:
        os.replace(layout.current, layout.versions / before.name)
    os.replace(layout.versions / name, layout.current)


def _remove_others(layout: Layout, kept: set[str]) -> None:
    """Remove versions that are not `kept`. What a running process still uses stays until the next time."""
    for folder in layout.versions.iterdir():
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)
