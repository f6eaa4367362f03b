"""Sessions of a journal: started, continued, left. `Journal` builds on this, hooks that need no more use it alone.

The classes of an entry are only imported where a session has entries to archive: a hook that starts a session beside
an active entry then takes 1.6 times as long as `python -c "import json"`; with them it takes 2.4 times as long.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ghap.local import counter, layout, session_file
from ghap.local.errors import JournalLockedError
from ghap.local.ids import generate_session_id, is_session_id
from memoryserver.common import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ghap.local.entry import GHAPEntry


class Sessions:
    """The journal in one folder, its lock and its open session.

    Every call that changes something raises JournalLockedError, JournalCorruptedError, and OSError where the disk
    fails; the journal then still holds what it held.
    """

    def __init__(
        self, journal_dir: Path, *, lock_timeout: float = 10.0, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        """Create the folder where it is missing, with a `.gitignore` of `*`; raises OSError if that fails.

        `lock_timeout` is how many seconds a call waits for another process. `sleep` waits between two attempts to
        lock; what it raises ends the call before it has done anything.
        """
        self.journal_dir = Path(journal_dir)
        self._lock_timeout = lock_timeout
        self._sleep = sleep
        layout.prepare(self.journal_dir)

    def start_session(self) -> str:
        """Start a session and return its id.

        The entries of one that is still open go to its archive, its active entry stays as an orphan, and the tool
        count starts at 0.
        """
        with self._locked():
            return self._begin_session(session_file.load(self.journal_dir))

    def reopen_session(self, session_id: str) -> str:
        """Continue the session `session_id` that was left, and return the id of the session that is then open.

        The entry that it left is its own again. A session that is open stays, since another agent may be at work in
        it; without a valid `session_id` one is started.
        """
        with self._locked():
            open_session = session_file.load(self.journal_dir)
            if open_session:
                return open_session
            return self._begin_session(None, session_id if is_session_id(session_id) else None)

    def leave_session(self, session_id: str) -> bool:
        """Close the session `session_id` if it is the open one; its resolved entries go to the archive.

        Its active entry stays, and is an orphan from then on: an agent's window that is closed decides nothing.
        Returns whether it was the open one.
        """
        with self._locked():
            if session_file.load(self.journal_dir) != session_id:
                return False
            self._close_session(session_id)
            return True

    def increment_tool_count(self) -> int:
        """Count a tool call and return the new count; it survives restarts within a session."""
        with self._locked():
            return counter.advance(self.journal_dir)

    def reset_tool_count(self) -> None:
        """Set the count to 0, after the check-in question was shown."""
        with self._locked():
            counter.store(self.journal_dir, 0)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the journal's lock; the folder is created again if it was removed."""
        if not os.path.isdir(self.journal_dir):
            layout.prepare(self.journal_dir)
        try:
            with files.lock(self.journal_dir / layout.LOCK, timeout=self._lock_timeout, sleep=self._sleep):
                yield
        except files.LockTimeoutError as error:
            raise JournalLockedError(str(error)) from error

    # Steps; the caller holds the lock

    def _begin_session(self, previous: str | None, session_id: str | None = None) -> str:
        """Open the session `session_id`, by default a new one; the entries of the `previous` one are archived."""
        self._archive_session(previous)
        begun = session_id or generate_session_id()
        session_file.write(self.journal_dir, begun)
        return begun

    def _close_session(self, session_id: str | None) -> list[GHAPEntry]:
        """Archive and return the session's entries, and let no session be open."""
        entries = self._archive_session(session_id)
        session_file.remove(self.journal_dir)
        return entries

    def _archive_session(self, session_id: str | None) -> list[GHAPEntry]:
        entries: list[GHAPEntry] = []
        if os.path.lexists(self.journal_dir / layout.SESSION_ENTRIES):
            from ghap.local.store import Store

            store = Store(self.journal_dir)
            store.load_current()  # before its line is moved: an entry that is filed already is then still recognised
            entries = store.archive_session(session_id)
        counter.store(self.journal_dir, 0)
        return entries
