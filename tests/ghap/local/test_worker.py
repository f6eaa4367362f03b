"""The thread that does a journal's file work, and the lock around it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from pathlib import Path

import pytest

from ghap.local.worker import Worker
from memoryserver.common import files


def test_lock_of_a_cancelled_call_is_held_until_its_step_is_over(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    entered, release = threading.Event(), threading.Event()

    def step() -> None:
        entered.set()
        release.wait(10)

    async def act() -> None:
        worker = Worker(lock, 10)

        async def call() -> None:
            async with worker.locked():
                await worker.do(step)

        task = asyncio.create_task(call())
        await asyncio.to_thread(entered.wait, 10)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        assert files.try_lock(lock) is None
        release.set()
        async with worker.locked():
            pass

    asyncio.run(act())


def test_steps_run_in_the_order_given_whoever_waits_for_them(tmp_path: Path) -> None:
    done: list[int] = []

    async def act() -> None:
        worker = Worker(tmp_path / ".lock", 10)
        calls = [asyncio.ensure_future(worker.do(done.append, number)) for number in range(20)]
        await asyncio.sleep(0)
        for call in calls[::3]:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await worker.do(done.append, 20)

    asyncio.run(act())
    assert done == sorted(done)
    assert set(done) >= {number for number in range(21) if number % 3}


def test_lock_is_free_after_an_error(tmp_path: Path) -> None:
    async def act() -> None:
        worker = Worker(tmp_path / ".lock", 10)
        with pytest.raises(ZeroDivisionError):
            async with worker.locked():
                await worker.do(lambda: 1 / 0)
        async with worker.locked():
            pass

    asyncio.run(act())


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_forked_child_can_go_on_with_its_parents_worker(tmp_path: Path) -> None:
    worker = Worker(tmp_path / ".lock", 10)
    asyncio.run(worker.do(os.getpid))
    child = os.fork()
    if child == 0:
        found = 0
        with contextlib.suppress(BaseException):
            found = asyncio.run(asyncio.wait_for(worker.do(os.getpid), 5))
        os._exit(0 if found == os.getpid() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
