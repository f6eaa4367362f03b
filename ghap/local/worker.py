"""Runs the journal's file work off the event loop, step by step, under the journal's lock."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

import aiofiles.os

from ghap.local.errors import JournalLockedError
from memoryserver.common import files

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


class Worker:
    """One thread for the steps of one journal, and the lock file `lock_path` that guards them.

    Steps run in the order in which they are given, so a step whose caller was cancelled is over before
    anything that comes later.
    """

    def __init__(self, lock_path: Path, timeout: float) -> None:
        self._lock_path = lock_path
        self._timeout = timeout
        self._thread: tuple[int, ThreadPoolExecutor] | None = None

    async def do(self, step: Callable[_Args, _Result], *args: _Args.args, **kwargs: _Args.kwargs) -> _Result:
        """Run `step` in the thread and return its result."""
        run = aiofiles.os.wrap(step)
        result: _Result = await run(*args, executor=self._executor(), **kwargs)
        return result

    @contextlib.asynccontextmanager
    async def locked(self) -> AsyncIterator[None]:
        """Hold the lock for the length of the block; waits for it without blocking the event loop.

        Raises JournalLockedError, which names the holder, after the timeout.
        """
        deadline = time.monotonic() + self._timeout
        pause = 0.001
        while (descriptor := files.try_lock(self._lock_path)) is None:
            if time.monotonic() >= deadline:
                raise JournalLockedError(str(files.lock_timeout(self._lock_path, self._timeout)))
            await asyncio.sleep(random.uniform(0, pause))  # in step, all would fail together
            pause = min(pause * 2, files.LONGEST_PAUSE)
        try:
            yield
        except Exception:
            os.close(descriptor)
            raise
        except BaseException:
            # Cancelled: the step that was waited for may still run, so the lock is let go in its turn.
            self._executor().submit(os.close, descriptor)
            raise
        os.close(descriptor)

    def _executor(self) -> ThreadPoolExecutor:
        """The thread; a forked child, which has none, gets one of its own."""
        if self._thread is None or self._thread[0] != os.getpid():
            self._thread = (os.getpid(), ThreadPoolExecutor(1, thread_name_prefix="ghap-journal"))
        return self._thread[1]
