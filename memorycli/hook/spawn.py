"""Starts the background sync as a process of its own, which no hook waits for.

The child has a session and standard streams of its own and none of the descriptors that the agent gave the hook: a
child that keeps the agent's pipe open holds up its turn. It runs the files beside this one, as the hook does, also
where another version is installed. There is a pause between two of them, except at the end of a session; of those that
run at the same time one does the work, and one more waits for it. Each ends within seconds (`delivery.background`).
"""

from __future__ import annotations

import contextlib
import os
import sys
import time

from memorycli.delivery import connection
from memorycli.hook import log
from memoryserver.client import home_folder
from memoryserver.common import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

PAUSE_SECONDS = 60.0
SHORT_PAUSE_SECONDS = 5.0
PAUSE_WITHOUT_SERVER_SECONDS = 3600.0
_STARTED = "sync.started"
_MAX_DESCRIPTOR = 65_536
_CODE = (
    "import sys; sys.path.append(sys.argv.pop(1)); from memorycli.delivery import background; "
    "from memorycli.hook import log; background.child(log.write)"
)


def start(project: Path, *, pause: float = PAUSE_SECONDS) -> bool:
    """Start a sync of `project` in the background, unless one started just now; return whether it was started.

    There are at least `pause` seconds between two; an hour where no server is known, for then it only enforces the
    quota. Never raises.
    """
    try:
        if not _is_time(pause if connection.is_configured() else PAUSE_WITHOUT_SERVER_SECONDS):
            return False
        _spawn(project)
    except Exception as error:  # noqa: BLE001 - what waits is sent the next time
        log.write(f"sync: {type(error).__name__}: {error}")
        return False
    return True


def _is_time(pause: float) -> bool:
    """Return whether the last start was long enough ago; if so, record the time of this one."""
    mark = files.make_folder(home_folder.path()) / _STARTED
    with contextlib.suppress(FileNotFoundError):
        if 0 <= time.time() - mark.stat().st_mtime < pause:
            return False
    with open(mark, "wb"):  # a write sets the time, also where the file is there
        os.utime(mark)
    return True


def _spawn(project: Path) -> None:
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = [sys.executable, "-I", "-S", "-c", _CODE, root]
    folder = str(project) if os.path.isdir(project) else os.path.expanduser("~")
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": folder}
    if os.name == "nt":
        import subprocess

        flags = 0x208  # DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP
        nowhere = subprocess.DEVNULL
        subprocess.Popen(
            command, cwd=folder, env=environment, stdin=nowhere, stdout=nowhere, stderr=nowhere, creationflags=flags
        )
        return
    if os.fork() == 0:
        _become(command, folder, environment)


def _become(command: list[str], folder: str, environment: dict[str, str]) -> None:
    """In the forked child: close everything that is the agent's and run `command`."""
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(nowhere, descriptor)
        os.closerange(3, _MAX_DESCRIPTOR)
        os.chdir(folder)
        os.execve(command[0], command, environment)  # noqa: S606 - no shell is needed
    finally:
        os._exit(127)
