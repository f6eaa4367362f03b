"""ObservationCollector: the state machine of GHAP entries over the files of a journal folder.

Every call that changes something holds the journal's lock from its first read to its last write, so any
number of processes and coroutines may share a folder. File work runs in aiofiles' threads; a call that is
cancelled, or a process that dies, stops between two steps, and the next call mends what that leaves.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ghap.local import counter, resolution
from ghap.local.entry import Domain, GHAPEntry, HistoryEntry, Lesson, OutcomeStatus, RootCause, Strategy
from ghap.local.errors import GHAPAlreadyActiveError, NoActiveGHAPError, NoSuchEntryError
from ghap.local.fields import bounded, chosen
from ghap.local.ids import generate_ghap_id, generate_session_id
from ghap.local.store import State, Store
from ghap.local.worker import Worker
from memoryserver.common import clock, text

SESSION_ENDED = "session ended"


class ObservationCollector:
    """The GHAP journal in one folder: at most one active entry, and the entries resolved so far.

    *Active* is whatever `current_ghap.json` holds, from this session or an earlier one (an orphan). Texts
    are cut to 10,000 characters with a logged warning; what is not Unicode becomes U+FFFD. A damaged file is
    set aside beside the journal, logged, and counts as missing. Besides the errors named, every call raises
    JournalLockedError, JournalCorruptedError, InvalidEntryError (a ValueError) for a value of the wrong
    kind, and OSError where the disk fails; what was in the journal is then still there.
    """

    def __init__(self, journal_dir: Path, *, lock_timeout: float = 10.0) -> None:
        """Make the folder where it is missing, with a `.gitignore` of `*`; raises OSError if that fails.

        `lock_timeout` is how many seconds a call waits for another process.
        """
        self.journal_dir = Path(journal_dir)
        self._store = Store(self.journal_dir)
        self._store.prepare()
        self._work = Worker(self._store.lock_path, lock_timeout)

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
        """Begin an entry and make it the active one; without an open session one is started.

        `check` is the command whose result will decide it. Raises GHAPAlreadyActiveError.
        """
        entry = GHAPEntry(
            id=generate_ghap_id(),
            session_id="",
            created_at=clock.now(),
            domain=chosen(domain, Domain, "domain"),
            strategy=chosen(strategy, Strategy, "strategy"),
            goal=bounded(goal, "goal"),
            hypothesis=bounded(hypothesis, "hypothesis"),
            action=bounded(action, "action"),
            prediction=bounded(prediction, "prediction"),
            check=bounded(check, "check") or None if check is not None else None,
        )
        async with self._work.locked():
            state = await self._work.do(self._store.load)
            if state.entry is not None:
                raise _already_active(state.entry)
            entry.session_id = state.session_id or await self._start_session(state)
            await self._work.do(self._store.save_current, entry)
        return entry

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
        """Change the active entry and return it.

        A hypothesis, action or prediction that differs from the present one begins a new iteration: the
        present three go into the history. A strategy replaces, a note is added, a blank `check` takes the
        check away; these alone begin no iteration. Raises ValueError where nothing is given, and
        NoActiveGHAPError.
        """
        if all(value is None for value in (hypothesis, action, prediction, strategy, note, check)):
            raise ValueError("nothing to update: give a hypothesis, action, prediction, strategy, note or check")
        given = {"hypothesis": hypothesis, "action": action, "prediction": prediction}
        texts = {name: bounded(value, name) for name, value in given.items() if value is not None}
        note = None if note is None else bounded(note, "note")
        check = None if check is None else bounded(check, "check")
        if strategy is not None:
            strategy = chosen(strategy, Strategy, "strategy")
        async with self._work.locked():
            entry = await self._active()
            changed = _iterate(entry, texts)
            if strategy is not None:
                changed = replace(changed, strategy=strategy)
            if note is not None:
                changed = replace(changed, notes=[*changed.notes, note])
            if check is not None:
                changed = replace(changed, check=check.strip() or None)
            if changed != entry:
                await self._work.do(self._store.save_current, changed)
        return changed

    async def resolve_ghap(
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
        async with self._work.locked():
            entry = resolution.resolved(await self._active(), outcome, **learned)
            await self._work.do(self._store.file_in_session, entry)
        return entry

    async def abandon_ghap(self, reason: str) -> GHAPEntry:
        """Resolve the active entry as abandoned for `reason`; raises NoActiveGHAPError."""
        return await self.resolve_ghap(OutcomeStatus.ABANDONED, reason)

    async def amend_ghap(
        self,
        entry_id: str | None = None,
        *,
        surprise: str | None = None,
        root_cause: RootCause | None = None,
        lesson: Lesson | None = None,
        note: str | None = None,
    ) -> GHAPEntry:
        """Add what was learned to a resolved entry, by default the one resolved last, and return it.

        What is given replaces what the entry has, a note is added; its outcome stays. So an entry that its check
        resolved gets its surprise and root cause. Raises ValueError where nothing is given, NoSuchEntryError.
        """
        learned = resolution.learned(surprise, root_cause, lesson)
        notes = [] if note is None else [bounded(note, "note")]
        if not learned and not notes:
            raise ValueError("nothing to add: give a surprise, root cause, lesson or note")
        async with self._work.locked():
            await self._work.do(self._store.load)
            found = await self._work.do(self._store.find_filed, entry_id)
            if found is None:
                raise NoSuchEntryError("no such entry was resolved in this journal; see: memory ghap list --all")
            path, filed = found
            entry = replace(filed, **learned, notes=[*filed.notes, *notes])
            if entry != filed:
                await self._work.do(self._store.file_again, path, entry)
        return entry

    # What there is

    async def get_current(self) -> GHAPEntry | None:
        """The active entry, this session's or an orphan, or None."""
        return (await self._state()).entry

    async def get_session_entries(self) -> list[GHAPEntry]:
        """The entries resolved in this session, oldest first; unreadable lines are logged and passed over."""
        lines = await self._work.do(self._store.session_lines)
        resolution.warn_unreadable(lines)
        return list({line.entry.id: line.entry for line in lines if line.entry}.values())

    async def get_all_entries(self) -> list[GHAPEntry]:
        """Every resolved entry of the journal, archives included, oldest session first."""
        return await self._work.do(lambda: list(self._store.filed_entries()))

    async def has_orphaned_entry(self) -> bool:
        """Whether the active entry is of another session than the open one, or no session is open."""
        return await self.get_orphaned_entry() is not None

    async def get_orphaned_entry(self) -> GHAPEntry | None:
        """The active entry if it is an orphan."""
        return (await self._state()).orphan

    async def adopt_orphan(self) -> GHAPEntry | None:
        """Make an orphan this session's entry, all else unchanged; None where there is none.

        Without an open session one is started.
        """
        async with self._work.locked():
            state = await self._work.do(self._store.load)
            if state.orphan is None:
                return None
            entry = replace(state.orphan, session_id=state.session_id or await self._start_session(state))
            await self._work.do(self._store.save_current, entry)
        return entry

    async def abandon_orphan(self, reason: str) -> GHAPEntry | None:
        """Resolve an orphan as abandoned in the archive of its own session; None where there is none."""
        outcome = resolution.outcome(OutcomeStatus.ABANDONED, reason)
        async with self._work.locked():
            orphan = (await self._work.do(self._store.load)).orphan
            if orphan is None:
                return None
            entry = resolution.resolved(orphan, outcome)
            await self._work.do(self._store.file_in_archive, entry)
        return entry

    # Sessions

    async def start_session(self) -> str:
        """Start a session and return its id.

        The entries of one that is still open go to its archive, its active entry stays as an orphan, and
        the tool count starts at 0.
        """
        async with self._work.locked():
            return await self._start_session(await self._work.do(self._store.load))

    async def get_session_id(self) -> str | None:
        """The open session's id, or None."""
        return (await self._state()).session_id

    async def end_session(self) -> list[GHAPEntry]:
        """End the session and return its entries, an active one abandoned with "session ended" among them.

        They go to the session's archive; an orphan is abandoned into the archive of its own session. With
        no session open this tidies up the same way.
        """
        outcome = resolution.outcome(OutcomeStatus.ABANDONED, SESSION_ENDED)
        async with self._work.locked():
            state = await self._work.do(self._store.load)
            if state.entry is not None:
                file = self._store.file_in_archive if state.orphan else self._store.file_in_session
                await self._work.do(file, resolution.resolved(state.entry, outcome))
            return await self._work.do(self._store.close_session, state.session_id)

    # Tool calls between check-ins

    async def increment_tool_count(self) -> int:
        """Count a tool call and return the new count; it survives restarts within a session."""
        async with self._work.locked():
            return await self._work.do(counter.advance, self.journal_dir)

    async def should_check_in(self, frequency: int = counter.CHECK_IN_FREQUENCY) -> bool:
        """Whether `frequency` tool calls or more were counted and an entry is active."""
        due = await self._work.do(counter.check_in_due, self.journal_dir, frequency)
        return due and await self.get_current() is not None

    async def reset_tool_count(self) -> None:
        """Set the count to 0, after the check-in question was put."""
        async with self._work.locked():
            await self._work.do(counter.store, self.journal_dir, 0)

    async def _state(self) -> State:
        """The journal's state; the lock is only taken where a file must be mended."""
        state = await self._work.do(self._store.peek)
        if state is not None:
            return state
        async with self._work.locked():
            return await self._work.do(self._store.load)

    # Steps; the caller holds the lock

    async def _active(self) -> GHAPEntry:
        entry = (await self._work.do(self._store.load)).entry
        if entry is None:
            raise NoActiveGHAPError("no GHAP entry is active; begin one with create_ghap")
        return entry

    async def _start_session(self, state: State) -> str:
        session_id = generate_session_id()
        await self._work.do(self._store.begin_session, session_id, state.session_id)
        return session_id


def _iterate(entry: GHAPEntry, texts: dict[str, str]) -> GHAPEntry:
    """`entry` with `texts` as its hypothesis, action and prediction; a new iteration if one differs."""
    if all(getattr(entry, name) == value for name, value in texts.items()):
        return entry
    # Files without `current_since`: the last known change is the earliest it can have been.
    known = entry.history[-1].timestamp if entry.history else entry.created_at
    past = HistoryEntry(entry.current_since or known, entry.hypothesis, entry.action, entry.prediction)
    return replace(
        entry,
        **texts,  # type: ignore[arg-type]
        history=[*entry.history, past],
        iteration_count=entry.iteration_count + 1,
        current_since=clock.now(),
    )


def _already_active(entry: GHAPEntry) -> GHAPAlreadyActiveError:
    goal = text.shorten(text.one_line(text.printable(entry.goal)), 60)
    return GHAPAlreadyActiveError(f"{entry.id} of {entry.session_id} is still active ({goal})")
