"""The virtual environment that runs the client, and the command in the user's folder of programs."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from memorycli.installation.layout import Layout
from memorycli.installation.versions import InstallationError
from memoryserver.common import files

BIN_VARIABLE = "MEMORY_BIN_DIR"
_PATHS_FILE = "memory-client.pth"
_MARK = "made by the join line of memoryserver"


def make(layout: Layout) -> None:
    """Make the environment with the Python that runs this, unless it works already. Raises InstallationError, OSError.

    It has no pip and no package; a file in it names the folder of the current version.
    """
    if not _works(layout.python):
        shutil.rmtree(layout.env, ignore_errors=True)
        files.make_folder(layout.root)
        try:
            venv.EnvBuilder(symlinks=os.name != "nt", with_pip=False).create(layout.env)
        except (OSError, subprocess.CalledProcessError) as error:
            raise InstallationError(f"no virtual environment can be made with {sys.executable}: {error}") from error
        if not _works(layout.python):
            raise InstallationError(f"the virtual environment made with {sys.executable} does not work")
    packages = Path(_asked(layout.python, "import sysconfig; print(sysconfig.get_path('purelib'))"))
    files.write_atomic(packages / _PATHS_FILE, f"{layout.current}\n", mode=0o644)


def bin_folder() -> Path:
    """Return the folder of the user's own commands."""
    return Path(os.environ.get(BIN_VARIABLE) or Path.home() / ".local" / "bin").expanduser().absolute()


def is_on_path(folder: Path) -> bool:
    """Return whether commands in `folder` are found without its name."""
    return str(folder) in [os.path.abspath(part) for part in os.environ.get("PATH", "").split(os.pathsep) if part]


def write_launcher(layout: Layout, folder: Path) -> Path:
    """Write the command `memory` into `folder` and return its path.

    Raises InstallationError if a command of that name is there which this did not make, and OSError.
    """
    path = folder / ("memory.cmd" if os.name == "nt" else "memory")
    if (path.exists() or path.is_symlink()) and not is_own_launcher(path):
        raise InstallationError(
            f"{path} exists and was not made by this; remove it (pipx uninstall memorycli, say), or name another "
            f"folder in {BIN_VARIABLE}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    if os.name == "nt":
        text = f'@rem {_MARK}\r\n@"{layout.python}" -I -m memorycli %*\r\n'
    else:
        text = f'#!/bin/sh\n# {_MARK}\nexec {shlex.quote(str(layout.python))} -I -m memorycli "$@"\n'
    files.write_atomic(path, text, mode=0o755)
    return path


def is_own_launcher(path: Path) -> bool:
    """Return whether this made the command at `path`."""
    try:
        with path.open("rb") as file:
            return _MARK.encode() in file.read(400)
    except OSError:
        return False


def remove(layout: Layout, launcher: str) -> list[str]:
    """Remove the command and the client's files; return what was removed and, where it cannot be, how to remove it."""
    lines = []
    path = Path(launcher) if launcher else None
    if path is not None and is_own_launcher(path):
        path.unlink()
        lines.append(f"removed {path}")
    shutil.rmtree(layout.root, ignore_errors=True)  # Windows keeps the files of a program that runs
    lines.append(f"remove {layout.root} once this has ended" if layout.root.exists() else f"removed {layout.root}")
    return lines


def _works(python: Path) -> bool:
    return python.exists() and _asked(python, "print('yes')") == "yes"


def _asked(python: Path, program: str) -> str:
    """Return what `program` prints; empty if it fails."""
    try:
        done = subprocess.run(
            [str(python), "-I", "-c", program], capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
