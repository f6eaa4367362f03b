"""The sync in the background: silent, one at a time, and after a failure not before the pause is over."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from memorycli.delivery import connection, quota, scope, sync
from memoryserver.client import sync_state
from memoryserver.common import files

LONGEST_SECONDS = 300.0


def run() -> list[str]:
    """Send what is due for the project of the current folder; return what went wrong, one line each.

    Being offline, not logged in or not due is not an error. Raises CommandError for damaged credentials, OSError.
    """
    quota.enforce()
    if not connection.is_configured():
        return []
    client = connection.load()
    if not sync_state.load(client.url).is_due(time.time()):
        return []
    lock = files.try_lock(sync.lock_path())
    if lock is None:
        return []
    try:
        return sync.send(client, scope.of_project()).problems
    finally:
        os.close(lock)


def child(log: Callable[[str], object]) -> None:
    """Be the whole background process that a hook starts; pass what goes wrong to `log`."""
    if hasattr(os, "nice"):
        os.nice(5)
    _end_after(LONGEST_SECONDS)
    try:
        problems = run()
    except Exception as error:  # noqa: BLE001 - nobody reads the process' standard error; the log is the way
        log(f"sync: {type(error).__name__}: {error}")
        return
    if problems:
        log(f"sync: {'; '.join(problems)}")


def _end_after(seconds: float) -> None:
    """End the process after `seconds`: a server that answers one byte a minute must not hold up all later syncs."""

    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(seconds))
