"""ObservationCollector: the journal for programs that run an event loop.

Needs `aiofiles` (the extra `async`); nothing on the laptop's command line or in its hooks imports this module.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

import aiofiles.os

from ghap.local import counter
from ghap.local.entry import Domain, GHAPEntry, Lesson, OutcomeStatus, RootCause, Strategy
from ghap.local.journal import Journal

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


class ObservationCollector:
    """The calls of `Journal`, whose methods say what each does and raises, as coroutines.

    Each call runs as a whole in one thread of the collector's own, in the order in which they are awaited. A call that
    is cancelled before it holds the journal's lock does nothing; one that is cancelled later is done to its end,
    under the lock, before any other call of this collector begins.
    """

    def __init__(self, journal_dir: Path, *, lock_timeout: float = 10.0) -> None:
        """Create the folder where it is missing, with a `.gitignore` of `*`; raises OSError if that fails.

        `lock_timeout` is how many seconds a call waits for another process.
        """
        self._journal = Journal(journal_dir, lock_timeout=lock_timeout, sleep=self._sleep)
        self.journal_dir = self._journal.journal_dir
        self._thread: tuple[int, ThreadPoolExecutor] | None = None
        self._cancelled = threading.Event()  # of the call that is running

    # The life of an entry

    async def create_ghap(
        self,
        domain: Domain,
        strategy: Strategy,
        goal: str,
        hypothesis: str,
        action: str,
        prediction: str,
        *,
        check: str | None = None,
    ) -> GHAPEntry:
        """Begin an entry and make it the active one."""
        texts = (goal, hypothesis, action, prediction)
        return await self._run(self._journal.create_ghap, domain, strategy, *texts, check=check)

    async def update_ghap(
        self,
        hypothesis: str | None = None,
        action: str | None = None,
        prediction: str | None = None,
        strategy: Strategy | None = None,
        note: str | None = None,
        *,
        check: str | None = None,
    ) -> GHAPEntry:
        """Change the active entry and return it."""
        return await self._run(self._journal.update_ghap, hypothesis, action, prediction, strategy, note, check=check)

    async def resolve_ghap(
        self,
        status: OutcomeStatus,
        result: str,
        surprise: str | None = None,
        root_cause: RootCause | None = None,
        lesson: Lesson | None = None,
        auto_captured: bool = False,
    ) -> GHAPEntry:
        """Give the active entry its outcome and tier, and file it."""
        return await self._run(self._journal.resolve_ghap, status, result, surprise, root_cause, lesson, auto_captured)

    async def abandon_ghap(self, reason: str) -> GHAPEntry:
        """Resolve the active entry as abandoned for `reason`."""
        return await self._run(self._journal.abandon_ghap, reason)

    async def amend_ghap(
        self,
        entry_id: str | None = None,
        *,
        surprise: str | None = None,
        root_cause: RootCause | None = None,
        lesson: Lesson | None = None,
        note: str | None = None,
    ) -> GHAPEntry:
        """Add what was learned to a resolved entry."""
        return await self._run(
            self._journal.amend_ghap, entry_id, surprise=surprise, root_cause=root_cause, lesson=lesson, note=note
        )

    async def correct_ghap(
        self,
        status: OutcomeStatus,
        result: str,
        surprise: str | None = None,
        root_cause: RootCause | None = None,
        lesson: Lesson | None = None,
        *,
        entry_id: str | None = None,
    ) -> GHAPEntry:
        """State the outcome of a resolved entry again."""
        learned = (surprise, root_cause, lesson)
        return await self._run(self._journal.correct_ghap, status, result, *learned, entry_id=entry_id)

    # State

    async def get_current(self) -> GHAPEntry | None:
        """Return the active entry, this session's or an orphan, or None."""
        return await self._run(self._journal.get_current)

    async def get_session_entries(self) -> list[GHAPEntry]:
        """Return the entries resolved in this session, oldest first."""
        return await self._run(self._journal.get_session_entries)

    async def get_all_entries(self) -> list[GHAPEntry]:
        """Return every resolved entry of the journal, oldest session first."""
        return await self._run(self._journal.get_all_entries)

    async def has_orphaned_entry(self) -> bool:
        """Return whether the active entry is of another session than the open one."""
        return await self._run(self._journal.has_orphaned_entry)

    async def get_orphaned_entry(self) -> GHAPEntry | None:
        """Return the active entry if it is an orphan."""
        return await self._run(self._journal.get_orphaned_entry)

    async def adopt_orphan(self) -> GHAPEntry | None:
        """Make an orphan this session's entry; None where there is no orphan."""
        return await self._run(self._journal.adopt_orphan)

    async def abandon_orphan(self, reason: str) -> GHAPEntry | None:
        """Resolve an orphan as abandoned; None where there is no orphan."""
        return await self._run(self._journal.abandon_orphan, reason)

    # Sessions

    async def start_session(self) -> str:
        """Start a session and return its id."""
        return await self._run(self._journal.start_session)

    async def get_session_id(self) -> str | None:
        """Return the open session's id, or None."""
        return await self._run(self._journal.get_session_id)

    async def end_session(self) -> list[GHAPEntry]:
        """End the session and return its entries."""
        return await self._run(self._journal.end_session)

    # Tool calls between check-ins

    async def increment_tool_count(self) -> int:
        """Count a tool call and return the new count."""
        return await self._run(self._journal.increment_tool_count)

    async def should_check_in(self, frequency: int = counter.CHECK_IN_FREQUENCY) -> bool:
        """Return whether `frequency` tool calls or more were counted and an entry is active."""
        return await self._run(self._journal.should_check_in, frequency)

    async def reset_tool_count(self) -> None:
        """Set the count to 0, after the check-in question was shown."""
        return await self._run(self._journal.reset_tool_count)

    async def _run(self, call: Callable[_Args, _Result], *args: _Args.args, **kwargs: _Args.kwargs) -> _Result:
        cancelled = threading.Event()

        def work() -> _Result:
            self._cancelled = cancelled
            return call(*args, **kwargs)

        try:
            result: _Result = await aiofiles.os.wrap(work)(executor=self._executor())
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return result

    def _sleep(self, seconds: float) -> None:
        """Wait between two attempts to lock; end the call, which then has done nothing, where it was cancelled."""
        if self._cancelled.wait(seconds):
            raise asyncio.CancelledError

    def _executor(self) -> ThreadPoolExecutor:
        """Return the thread; a forked child, which has none, gets one of its own."""
        if self._thread is None or self._thread[0] != os.getpid():
            self._thread = (os.getpid(), ThreadPoolExecutor(1, thread_name_prefix="ghap-journal"))
        return self._thread[1]
