"""The sync in the background: silent, one at a time, and after a failure not before the pause is over.

A hook starts it in a session of its own, since most is to be sent when the agent ends. It does not watch the agent: it
is short in itself. Within LONGEST_SECONDS it ends, whatever the server, the network or the agent does, and its lock
goes with it. Each batch that the server has confirmed is recorded, so the next sync goes on where it ended.

One that starts while another runs waits for that, since the other may be past what is new. If one waits already, it
ends: the one that waits begins later, and sends what is new too.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from memorycli.delivery import connection, leftovers, quota, scope, sync
from memoryserver.client import sync_state
from memoryserver.common import files

LONGEST_SECONDS = 15.0
WAIT_SECONDS = 5.0  # for a sync that runs
_NEXT = ".sync.next.lock"  # held by the one that waits
_LOG_SECONDS = 2  # the log may hang as well


def run(*, wait: float = 0.0) -> list[str]:
    """Send what is due for the project of the current folder; return what went wrong, one line each.

    Waits at most `wait` seconds for another sync. Being offline, not logged in, not due or in the way of another is not
    an error. Raises CommandError for damaged credentials, OSError.
    """
    quota.enforce()
    leftovers.sweep()
    if not connection.is_configured():
        return []
    client = connection.load()
    with _turn(wait) as is_ours:
        if not is_ours or not sync_state.load(client.url).is_due(time.time()):
            return []
        return sync.send(client, scope.of_project()).problems


@contextlib.contextmanager
def _turn(wait: float) -> Iterator[bool]:
    """Hold the lock of the sync for the length of the block; false if another holds it, or has it next."""
    path = sync.lock_path()
    lock = files.try_lock(path)
    if lock is None and wait:
        lock = _next_lock(path, wait)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            os.close(lock)


def _next_lock(path: Path, wait: float) -> int | None:
    following = files.try_lock(path.with_name(_NEXT))
    if following is None:
        return None
    try:
        until = time.monotonic() + wait
        while (lock := files.try_lock(path)) is None and time.monotonic() < until:
            time.sleep(files.LONGEST_PAUSE)
        return lock
    finally:
        os.close(following)


def child(log: Callable[[str], object]) -> None:
    """Be the whole background process that a hook starts; pass what goes wrong to `log`."""
    if hasattr(os, "nice"):
        os.nice(5)
    _end_after(LONGEST_SECONDS, log)
    try:
        problems = run(wait=WAIT_SECONDS)
    except Exception as error:  # noqa: BLE001 - nobody reads the process' standard error; the log is the way
        log(f"sync: {type(error).__name__}: {error}")
        return
    if problems:
        log(f"sync: {'; '.join(problems)}")


def _end_after(seconds: float, log: Callable[[str], object]) -> None:
    """End the process after `seconds`, with a line for `log`.

    By a thread, since a handler of signals is not called while the main thread looks up a name; should the thread hang
    too, the alarm's default action ends the process.
    """

    def end() -> None:
        time.sleep(seconds)
        log(f"sync: ended after {seconds:g} s; the next one sends the rest")
        os._exit(0)

    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(seconds) + _LOG_SECONDS)
    threading.Thread(target=end, daemon=True).start()
