"""The capture daemon's lock and heartbeat: whether it runs on this machine, and its last cycle.

$MEMORYSERVER_HOME/daemon.lock                    locked while it runs
$MEMORYSERVER_HOME/capture_state/daemon.json      pid, started, last_cycle, last_error, cycles
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from capture.local.scanning.state import DAEMON_FILE
from memoryserver.common import files

LOCK_FILE = "daemon.lock"
STATE_FOLDER = "capture_state"
_LOCK_TIMEOUT = 1.0  # seconds: `running` holds the lock for a moment


class AlreadyRunningError(Exception):
    """A daemon is already running on this machine; the message names it."""


@dataclass(slots=True)
class Heartbeat:
    """The state of the daemon; times are ISO 8601 with a final Z.

    `last_cycle` is when a cycle last ended, "" before the first one has; `last_error` is that cycle's, "" if it
    succeeded.
    """

    pid: int
    started: str
    last_cycle: str = ""
    last_error: str = ""
    cycles: int = 0


@contextmanager
def daemon_lock(home: Path) -> Iterator[None]:
    """Hold the lock of the only daemon of `home` during the block. Raises AlreadyRunningError and OSError."""
    files.make_folder(home)
    with ExitStack() as stack:
        try:
            stack.enter_context(files.lock(home / LOCK_FILE, timeout=_LOCK_TIMEOUT))
        except files.LockTimeoutError as error:
            beat = read(home)
            owner = f"process {beat.pid}, since {beat.started}" if beat else str(error)
            raise AlreadyRunningError(f"daemon already running ({owner})") from error
        yield


def running(home: Path) -> Heartbeat | None:
    """Return the heartbeat of the daemon that is running on `home`; None if there is none."""
    if not (home / LOCK_FILE).exists():
        return None
    try:
        descriptor = files.try_lock(home / LOCK_FILE)
    except OSError:  # no daemon can run on a home that cannot be written
        return None
    if descriptor is not None:
        os.close(descriptor)
        return None
    return read(home) or Heartbeat(pid=0, started="")


def read(home: Path) -> Heartbeat | None:
    """Return the last heartbeat on `home`, of a daemon that may have ended; None if it cannot be read."""
    try:
        fields = json.loads((home / STATE_FOLDER / DAEMON_FILE).read_bytes())
        beat = Heartbeat(int(fields["pid"]), str(fields["started"]), str(fields["last_cycle"]))
        beat.last_error, beat.cycles = str(fields["last_error"]), int(fields["cycles"])
    except (OSError, KeyError, TypeError, ValueError):
        return None
    return beat


def write(home: Path, beat: Heartbeat) -> None:
    """Replace the heartbeat. Raise OSError."""
    folder = files.make_folder(home / STATE_FOLDER)
    files.write_atomic(folder / DAEMON_FILE, json.dumps(asdict(beat)), durable=False)
