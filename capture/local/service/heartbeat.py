"""Whether capture runs by itself on this machine, and how it goes: the daemon's lock and its heartbeat.

$MEMORYSERVER_HOME/daemon.lock                    held while it runs
$MEMORYSERVER_HOME/capture_state/daemon.json      pid, started, last_cycle, last_error, cycles
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from capture.local.scanning.state import DAEMON_FILE
from memoryserver.common import files

LOCK_FILE = "daemon.lock"
STATE_FOLDER = "capture_state"
_PATIENCE = 1.0  # seconds: somebody who asks whether a daemon runs holds the lock for a moment


class AlreadyRunningError(Exception):
    """A daemon runs on this machine already; the text says which."""


@dataclass(slots=True)
class Heartbeat:
    """How the daemon goes; times as ISO 8601 with a final Z.

    `last_cycle` is when a cycle last ended, "" before the first one has; `last_error` is that cycle's, "" if it
    went well.
    """

    pid: int
    started: str
    last_cycle: str = ""
    last_error: str = ""
    cycles: int = 0


@contextmanager
def alone(home: Path) -> Iterator[None]:
    """Be the one daemon of `home` for the length of the block. Raises AlreadyRunningError and OSError."""
    files.make_folder(home)
    held = files.lock(home / LOCK_FILE, timeout=_PATIENCE)
    try:
        held.__enter__()
    except files.LockTimeoutError as error:
        beat = read(home)
        who = f"as process {beat.pid} since {beat.started}" if beat else f"({error})"
        raise AlreadyRunningError(f"capture runs by itself already, {who}") from error
    try:
        yield
    finally:
        held.__exit__(None, None, None)


def running(home: Path) -> Heartbeat | None:
    """The heartbeat of the daemon that runs on `home` at this moment; None if none does."""
    if not (home / LOCK_FILE).exists():
        return None
    try:
        descriptor = files.try_lock(home / LOCK_FILE)
    except OSError:  # a home that cannot be written has no daemon of ours
        return None
    if descriptor is not None:
        os.close(descriptor)
        return None
    return read(home) or Heartbeat(pid=0, started="")


def read(home: Path) -> Heartbeat | None:
    """What the last daemon of `home` left, running or not; None if there is nothing readable."""
    try:
        given = json.loads((home / STATE_FOLDER / DAEMON_FILE).read_bytes())
        beat = Heartbeat(int(given["pid"]), str(given["started"]), str(given["last_cycle"]))
        beat.last_error, beat.cycles = str(given["last_error"]), int(given["cycles"])
    except (OSError, KeyError, TypeError, ValueError):
        return None
    return beat


def write(home: Path, beat: Heartbeat) -> None:
    """Replace the heartbeat. Raises OSError."""
    folder = files.make_folder(home / STATE_FOLDER)
    files.write_atomic(folder / DAEMON_FILE, json.dumps(asdict(beat)), durable=False)
