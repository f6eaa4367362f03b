"""Each call that changes the journal holds its lock from the first read to the last write, and so loses nothing."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ghap.local import Journal, OutcomeStatus, layout
from ghap.local.errors import JournalLockedError
from memoryserver.common import files
from tests.ghap.local.test_journal_concurrency import PROCESSES, race
from tests.support.laptops.journals import create, resolve, run

Call = Callable[[Journal], object]


def active(folder: Path) -> None:
    """A filed entry, an active one and some tool calls."""
    run(folder, create, resolve, create, lambda journal: journal.increment_tool_count())


def orphan(folder: Path) -> None:
    active(folder)
    run(folder, lambda journal: journal.start_session())


def left(folder: Path) -> None:
    active(folder)
    run(folder, lambda journal: journal.leave_session(journal.get_session_id()))  # type: ignore[arg-type]


def filed(folder: Path) -> None:
    run(folder, create, resolve)


def taken_over(journal: Journal) -> object:
    journal._agent_session = "another"
    return journal.take_over()


CHANGING: dict[str, tuple[Callable[[Path], None], Call]] = {
    "create_ghap": (filed, create),
    "update_ghap": (active, lambda journal: journal.update_ghap(note="n")),
    "resolve_ghap": (active, resolve),
    "resolve_by_check": (
        active,
        lambda journal: journal.resolve_by_check(journal.get_current().id, OutcomeStatus.CONFIRMED, "0"),  # type: ignore[union-attr]
    ),
    "abandon_ghap": (active, lambda journal: journal.abandon_ghap("r")),
    "correct_ghap": (
        filed,
        lambda journal: journal.correct_ghap(
            OutcomeStatus.FALSIFIED, "it hung", "slow", entry_id=journal.get_all_entries()[-1].id
        ),
    ),
    "amend_ghap": (active, lambda journal: journal.amend_ghap(note="n")),
    "adopt_orphan": (orphan, lambda journal: journal.adopt_orphan()),
    "take_over": (active, taken_over),
    "abandon_orphan": (orphan, lambda journal: journal.abandon_orphan("r")),
    "start_session": (active, lambda journal: journal.start_session()),
    "reopen_session": (left, lambda journal: journal.reopen_session("session_20251203_140000_x7y8z9")),
    "leave_session": (active, lambda journal: journal.leave_session(journal.get_session_id())),  # type: ignore[arg-type]
    "end_session": (active, lambda journal: journal.end_session()),
    "increment_tool_count": (active, lambda journal: journal.increment_tool_count()),
    "reset_tool_count": (active, lambda journal: journal.reset_tool_count()),
}
READING = {
    "get_all_entries",
    "get_current",
    "get_orphaned_entry",
    "get_session_entries",
    "get_session_id",
    "has_orphaned_entry",
    "should_check_in",
    "state",
}


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != layout.LOCK
    }


def test_every_call_of_the_journal_is_known_to_change_it_or_to_read() -> None:
    calls = {name for name in dir(Journal) if not name.startswith("_") and callable(getattr(Journal, name))}
    assert calls == CHANGING.keys() | READING


@pytest.mark.parametrize("name", CHANGING)
def test_call_that_cannot_have_the_lock_changes_nothing(name: str, tmp_path: Path) -> None:
    prepare, call = CHANGING[name]
    prepare(tmp_path)
    before = content(tmp_path)
    with files.lock(tmp_path / layout.LOCK), pytest.raises(JournalLockedError, match="is locked by process"):
        call(Journal(tmp_path, lock_timeout=0))
    assert content(tmp_path) == before
    call(Journal(tmp_path, lock_timeout=0))
    assert content(tmp_path) != before


@pytest.mark.parametrize("name", CHANGING)
def test_lock_is_held_at_every_write(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare, call = CHANGING[name]
    prepare(tmp_path)
    journal = Journal(tmp_path)
    is_locked: list[bool] = []

    def guarded(operation: Callable[..., Any]) -> Callable[..., Any]:
        def checked(*args: Any, **kwargs: Any) -> Any:
            with monkeypatch.context() as original:
                for owner, replaced in operations:
                    original.setattr(owner, replaced.__name__, replaced)
                descriptor = files.try_lock(tmp_path / layout.LOCK)
            is_locked.append(descriptor is None)
            if descriptor is not None:
                os.close(descriptor)
            return operation(*args, **kwargs)

        return checked

    operations: list[tuple[object, Any]] = [(os, os.write), (os, os.replace), (Path, Path.unlink)]
    for owner, operation in operations:
        monkeypatch.setattr(owner, operation.__name__, guarded(operation))
    call(journal)
    monkeypatch.undo()
    assert set(is_locked) == {True}


NOTES = """
journal = Journal(folder, lock_timeout=120)
for number in range(15):
    journal.{call}(note=f"{{sys.argv[2]}} {{number}}")
"""

NOTES_BETWEEN_SESSIONS = """
journal = Journal(folder, lock_timeout=120)
for number in range(15):
    if int(sys.argv[2]) % 2:
        journal.start_session()
        journal.adopt_orphan()
    journal.update_ghap(note=f"{sys.argv[2]} {number}")
"""

ENTRIES_BETWEEN_SESSIONS = """
journal = Journal(folder, lock_timeout=120)
for number in range(15):
    if int(sys.argv[2]) % 2:
        journal.end_session()
        journal.abandon_orphan("r")
        journal.start_session()
    try:
        entry = journal.create_ghap(Domain.TESTING, Strategy.ASK_USER, "g", "h", "a", "p")
        print(entry.id)
        journal.resolve_ghap(OutcomeStatus.CONFIRMED, "r")
    except (GHAPAlreadyActiveError, NoActiveGHAPError):
        pass
"""

ALL_NOTES = Counter(f"{process} {number}" for process in range(PROCESSES) for number in range(15))


def test_notes_of_eight_processes_are_all_in_the_active_entry(tmp_path: Path) -> None:
    run(tmp_path, create)
    race(tmp_path, NOTES.format(call="update_ghap"))
    assert Counter(Journal(tmp_path).state().entry.notes) == ALL_NOTES  # type: ignore[union-attr]


def test_notes_of_eight_processes_are_all_in_the_entry_resolved_last(tmp_path: Path) -> None:
    run(tmp_path, create, resolve)
    race(tmp_path, NOTES.format(call="amend_ghap"))
    assert Counter(Journal(tmp_path).get_all_entries()[0].notes) == ALL_NOTES


def test_notes_are_all_there_after_eight_processes_began_sessions_and_adopted_the_entry(tmp_path: Path) -> None:
    run(tmp_path, create)
    race(tmp_path, NOTES_BETWEEN_SESSIONS)
    assert Counter(Journal(tmp_path).state().entry.notes) == ALL_NOTES  # type: ignore[union-attr]


def test_entries_are_all_filed_once_after_eight_processes_began_and_ended_sessions(tmp_path: Path) -> None:
    created = Counter(" ".join(race(tmp_path, ENTRIES_BETWEEN_SESSIONS)).split())
    run(tmp_path, lambda journal: journal.end_session())
    archives = [path.read_bytes().split(b"\n") for path in (tmp_path / "archive").iterdir()]
    assert sum(1 for lines in archives for line in lines if line) == created.total()
    assert Counter(entry.id for entry in Journal(tmp_path).get_all_entries()) == created
