"""Journal: the state machine of GHAP entries over the files of a journal folder.

Synchronous, and the one place that knows the rules: the commands, the hooks and the MCP tools call it directly,
`collector` offers it to programs with an event loop. Every call that changes something holds the journal's lock from
its first read to its last write, so any number of processes and threads may share a folder. A process that dies
stops between two steps, and the next call repairs what that leaves.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ghap.local import active, changes, counter, resolution
from ghap.local.entry import Domain, GHAPEntry, Lesson, Outcome, OutcomeStatus, RootCause, Strategy
from ghap.local.errors import GHAPAlreadyActiveError, NoActiveGHAPError
from ghap.local.fields import bounded, instance, member
from ghap.local.ids import generate_ghap_id
from ghap.local.resolved_entries import ResolvedEntries
from ghap.local.store import State, Store
from memoryserver.client import places
from memoryserver.common import clock, text

SESSION_ENDED = "session ended"


class Journal(ResolvedEntries):
    """The GHAP journal in one folder: at most one active entry, and the entries resolved so far.

    *Active* is the entry in `current_ghap.json`, of this session or an earlier one (an orphan). Texts are cut to
    10,000 characters with a logged warning; what is not Unicode becomes U+FFFD. A damaged file is set aside beside
    the journal, logged, and counts as missing. Besides the errors named, every call raises JournalLockedError,
    JournalCorruptedError, InvalidEntryError (a ValueError) for a value of the wrong kind, and OSError where the disk
    fails; the journal then still holds what it held.
    """

    def __init__(
        self,
        journal_dir: Path,
        *,
        project: str | None = None,
        agent_session: str = "",
        lock_timeout: float = 10.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """Open the journal, with the parameters of `Sessions`; raises OSError where there is no folder.

        `agent_session` is the agent's session that works here, by default the one that the environment names.

        `project` is the key of its project: with it, what is resolved is also kept in the home folder until it is
        delivered, in case the journal is deleted with its checkout.
        """
        super().__init__(journal_dir, lock_timeout=lock_timeout, sleep=sleep)
        self._store = Store(self.journal_dir, project)
        self._known_session = text.printable(agent_session)[:200] or None
        self._agent_session = self._known_session or text.printable(places.agents_session())[:200]

    # The life of an entry

    def create_ghap(
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
        """Begin an entry and make it the active one; without an open session one is started.

        `check` is the command whose result will decide it. Raises GHAPAlreadyActiveError.
        """
        entry = GHAPEntry(
            id=generate_ghap_id(),
            session_id="",
            created_at=clock.now(),
            domain=member(domain, Domain, "domain"),
            strategy=member(strategy, Strategy, "strategy"),
            goal=bounded(goal, "goal"),
            hypothesis=bounded(hypothesis, "hypothesis"),
            action=bounded(action, "action"),
            prediction=bounded(prediction, "prediction"),
            check=bounded(check, "check") or None if check is not None else None,
            agent_session=self._agent_session or None,
        )
        with self._locked():
            state = self._store.load()
            if state.entry is not None:
                raise _already_active(state.entry, is_orphan=state.orphan is not None)
            entry.session_id = state.session_id or self._begin_session(state.session_id)
            self._store.save_current(entry)
        return entry

    def update_ghap(
        self,
        hypothesis: str | None = None,
        action: str | None = None,
        prediction: str | None = None,
        strategy: Strategy | None = None,
        note: str | None = None,
        *,
        check: str | None = None,
    ) -> GHAPEntry:
        """Change the active entry and return it.

        A hypothesis, action or prediction that differs from the present one begins a new iteration: the present three
        go into the history. A strategy replaces, a note is added, a blank `check` removes the check; these alone
        begin no iteration. Raises ValueError where all are None, and NoActiveGHAPError.
        """
        update = changes.checked(hypothesis, action, prediction, strategy, note, check)
        with self._locked():
            entry = self._active()
            changed = update.apply(entry)
            if changed != entry:
                self._store.save_current(changed)
        return changed

    def resolve_ghap(
        self,
        status: OutcomeStatus,
        result: str,
        surprise: str | None = None,
        root_cause: RootCause | None = None,
        lesson: Lesson | None = None,
        auto_captured: bool = False,
    ) -> GHAPEntry:
        """Give the active entry its outcome and tier, file it with this session's entries, and return it.

        `surprise`, `root_cause` and `lesson` go with every status. Raises NoActiveGHAPError.
        """
        outcome = resolution.outcome(status, result, auto_captured=auto_captured)
        learned = resolution.learned(surprise, root_cause, lesson)
        with self._locked():
            return self._file(self._active(), outcome, learned)

    def resolve_by_check(self, entry_id: str, status: OutcomeStatus, result: str) -> GHAPEntry | None:
        """Give the active entry the outcome that its check showed, auto-captured, and so of tier gold.

        None where the entry `entry_id` is no longer active.
        """
        outcome = resolution.outcome(status, result, auto_captured=True)
        with self._locked():
            entry = self._store.load().entry
            return self._file(entry, outcome) if entry is not None and entry.id == entry_id else None

    def abandon_ghap(self, reason: str) -> GHAPEntry:
        """Resolve the active entry as abandoned for `reason`; raises NoActiveGHAPError."""
        return self.resolve_ghap(OutcomeStatus.ABANDONED, reason)

    # State

    def get_current(self) -> GHAPEntry | None:
        """Return the active entry, this session's or an orphan, or None."""
        return self.state().entry

    def has_orphaned_entry(self) -> bool:
        """Return whether the active entry is of another session than the open one, or no session is open."""
        return self.get_orphaned_entry() is not None

    def get_orphaned_entry(self) -> GHAPEntry | None:
        """Return the active entry if it is an orphan."""
        return self.state().orphan

    def adopt_orphan(self) -> GHAPEntry | None:
        """Make an orphan this session's entry, all else unchanged; None where there is no orphan.

        Without an open session one is started.
        """
        with self._locked():
            state = self._store.load()
            if state.orphan is None:
                return None
            session_id = state.session_id or self._begin_session(state.session_id)
            entry = self._worked_on(replace(state.orphan, session_id=session_id), self._agent_session)
            self._store.save_current(entry)
        return entry

    def take_over(self) -> GHAPEntry:
        """Make the active entry, of another agent that works in this session, the one of this agent's session.

        Raises NoActiveGHAPError.
        """
        with self._locked():
            entry = self._worked_on(self._active(), self._agent_session)
            self._store.save_current(entry)
        return entry

    def abandon_orphan(self, reason: str) -> GHAPEntry | None:
        """Resolve an orphan as abandoned in the archive of its own session; None where there is no orphan."""
        outcome = resolution.outcome(OutcomeStatus.ABANDONED, reason)
        with self._locked():
            orphan = self._store.load().orphan
            if orphan is None:
                return None
            entry = self._resolved(orphan, outcome)
            self._store.file_in_archive(entry)
        return entry

    # Sessions

    def get_session_id(self) -> str | None:
        """Return the open session's id, or None."""
        return self.state().session_id

    def end_session(self) -> list[GHAPEntry]:
        """End the session and return its entries, an active one abandoned with "session ended" among them.

        They go to the session's archive; an orphan is abandoned into the archive of its own session. With no session
        open this tidies up the same way.
        """
        outcome = resolution.outcome(OutcomeStatus.ABANDONED, SESSION_ENDED)
        with self._locked():
            state = self._store.load()
            if state.entry is not None:
                file = self._store.file_in_archive if state.orphan else self._store.file_in_session
                file(self._resolved(state.entry, outcome))
            return self._close_session(state.session_id)

    # Tool calls between check-ins

    def should_check_in(self, frequency: int = counter.CHECK_IN_FREQUENCY) -> bool:
        """Return whether `frequency` tool calls or more were counted and an entry is active."""
        frequency = instance(frequency, int, "frequency")
        return counter.check_in_due(self.journal_dir, frequency) and self.get_current() is not None

    def state(self) -> State:
        """Return the active entry and the open session; the lock is only taken where a file must be repaired."""
        state = self._store.peek()
        if state is not None:
            return state
        with self._locked():
            return self._store.load()

    # Steps; the caller holds the lock

    def _active(self) -> GHAPEntry:
        entry = self._store.load().entry
        if entry is None:
            raise NoActiveGHAPError("no GHAP entry is active; begin one with create_ghap")
        return entry

    def _file(self, entry: GHAPEntry, outcome: Outcome, learned: resolution.Learned | None = None) -> GHAPEntry:
        resolved = self._resolved(entry, outcome, learned)
        self._store.file_in_session(resolved)
        return resolved

    def _resolved(self, entry: GHAPEntry, outcome: Outcome, learned: resolution.Learned | None = None) -> GHAPEntry:
        """Return the entry with its outcome and the agents' sessions that worked on it."""
        worked_on = self._worked_on(entry, self._known_session)
        return resolution.resolved(worked_on, outcome, **(learned or {}))

    def _worked_on(self, entry: GHAPEntry, session: str | None) -> GHAPEntry:
        """Return the entry as that of `session`, else of the one that the hooks noted; earlier ones are kept."""
        before = active.agent_session(self.journal_dir, entry.id) or entry.agent_session
        now = session or before or self._agent_session or None
        known = [*entry.earlier_agent_sessions, entry.agent_session, before]
        earlier = list(dict.fromkeys(each for each in known if each and each != now))
        return replace(entry, agent_session=now, earlier_agent_sessions=earlier)


def _already_active(entry: GHAPEntry, *, is_orphan: bool) -> GHAPAlreadyActiveError:
    goal = text.shorten(text.one_line(text.printable(entry.goal)), 60)
    return GHAPAlreadyActiveError(f"{entry.id} of {entry.session_id} is still active ({goal})", is_orphan=is_orphan)
