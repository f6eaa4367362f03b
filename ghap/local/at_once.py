"""The steps of the journal that a hook takes, without an event loop: the same files in the same order.

Each holds the journal's lock for its whole length and waits for it at most `timeout` seconds. Raises LockTimeoutError,
JournalCorruptedError and OSError; what was in the journal is then still there.
"""

from __future__ import annotations

from ghap.local.ids import generate_session_id, is_session_id
from ghap.local.store import Store
from memoryserver.common import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from ghap.local.entry import GHAPEntry, OutcomeStatus

LOCK_SECONDS = 2.0


def start_session(journal_dir: Path, *, timeout: float = LOCK_SECONDS) -> str:
    """Start a session in a journal that exists and return its id, as ObservationCollector.start_session does."""
    store = Store(journal_dir)
    with files.lock(store.lock_path, timeout=timeout):
        session_id = generate_session_id()
        store.begin_session(session_id, store.load().session_id)
        return session_id


def reopen_session(journal_dir: Path, session_id: str, *, timeout: float = LOCK_SECONDS) -> str:
    """Go on with the session `session_id` that was left, and return the id of the one that is then open.

    The entry that it left is its own again. A session that is open stays, since another agent may be at work in
    it; without a valid `session_id` one is started.
    """
    store = Store(journal_dir)
    with files.lock(store.lock_path, timeout=timeout):
        state = store.load()
        if state.session_id:
            return state.session_id
        reopened = session_id if is_session_id(session_id) else generate_session_id()
        store.begin_session(reopened, None)
        return reopened


def leave_session(journal_dir: Path, session_id: str, *, timeout: float = LOCK_SECONDS) -> bool:
    """Close the session `session_id` if it is the open one; its resolved entries go to the archive.

    Its active entry stays, and is an orphan from then on: an agent's window that is closed decides nothing.
    """
    store = Store(journal_dir)
    with files.lock(store.lock_path, timeout=timeout):
        if store.load().session_id != session_id:
            return False
        store.close_session(session_id)
        return True


def resolve(
    journal_dir: Path, entry_id: str, status: OutcomeStatus, result: str, *, timeout: float = LOCK_SECONDS
) -> GHAPEntry | None:
    """Give the active entry the outcome that its check showed; None where it is active no more.

    It is filed with this session's entries, auto-captured, so its tier is gold.
    """
    from ghap.local import resolution

    outcome = resolution.outcome(status, result, auto_captured=True)
    store = Store(journal_dir)
    with files.lock(store.lock_path, timeout=timeout):
        active = store.load().entry
        if active is None or active.id != entry_id:
            return None
        entry = resolution.resolved(active, outcome)
        store.file_in_session(entry)
        return entry
