"""The steps of the journal that a hook takes do to the files what the collector's do."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ghap.local import (
    ConfidenceTier,
    Domain,
    GHAPEntry,
    Lesson,
    NoSuchEntryError,
    ObservationCollector,
    OutcomeStatus,
    RootCause,
    Strategy,
    active,
    at_once,
    counter,
)
from ghap.local.sync import sync_journal
from memoryserver.common.files import LockTimeoutError, lock
from tests.ghap.local.server import Server

NO_SESSION = "session_20250101_000000_000000"


def do(folder: Path, action: Callable[[ObservationCollector], Awaitable[Any]]) -> Any:
    async def act() -> Any:
        return await action(ObservationCollector(folder))

    return asyncio.run(act())


def begin(folder: Path) -> GHAPEntry:
    entry: GHAPEntry = do(
        folder, lambda journal: journal.create_ghap(Domain.TESTING, Strategy.ASK_USER, "g", "h", "a", "p", check="c")
    )
    return entry


def test_started_session_archives_the_one_before_and_leaves_an_orphan(tmp_path: Path) -> None:
    begin(tmp_path)
    do(tmp_path, lambda journal: journal.abandon_ghap("x"))
    entry = begin(tmp_path)
    counter.increment(tmp_path)
    started = at_once.start_session(tmp_path)
    assert do(tmp_path, lambda journal: journal.get_session_id()) == started != entry.session_id
    assert do(tmp_path, lambda journal: journal.get_orphaned_entry()) == entry
    assert counter.peek(tmp_path) == 0
    assert len(do(tmp_path, lambda journal: journal.get_all_entries())) == 1
    assert do(tmp_path, lambda journal: journal.get_session_entries()) == []


def test_session_that_is_left_keeps_its_active_entry_for_the_next(tmp_path: Path) -> None:
    entry = begin(tmp_path)
    assert at_once.leave_session(tmp_path, NO_SESSION) is False
    assert at_once.leave_session(tmp_path, entry.session_id) is True
    assert do(tmp_path, lambda journal: journal.get_session_id()) is None
    assert do(tmp_path, lambda journal: journal.get_orphaned_entry()) == entry
    assert at_once.leave_session(tmp_path, entry.session_id) is False


def test_session_that_is_reopened_has_its_entry_again(tmp_path: Path) -> None:
    entry = begin(tmp_path)
    at_once.leave_session(tmp_path, entry.session_id)
    assert at_once.reopen_session(tmp_path, entry.session_id) == entry.session_id
    assert do(tmp_path, lambda journal: journal.has_orphaned_entry()) is False
    assert at_once.reopen_session(tmp_path, NO_SESSION) == entry.session_id


@pytest.mark.parametrize("session_id", ["", "../../x", "session_1"])
def test_what_is_no_session_id_starts_a_session(tmp_path: Path, session_id: str) -> None:
    begin(tmp_path)
    at_once.leave_session(tmp_path, do(tmp_path, lambda journal: journal.get_session_id()))
    opened = at_once.reopen_session(tmp_path, session_id)
    assert opened == do(tmp_path, lambda journal: journal.get_session_id()) != session_id


def test_check_resolves_the_entry_it_belongs_to_and_no_other(tmp_path: Path) -> None:
    entry = begin(tmp_path)
    assert at_once.resolve(tmp_path, "ghap_x", OutcomeStatus.CONFIRMED, "ok") is None
    found = at_once.resolve(tmp_path, entry.id, OutcomeStatus.FALSIFIED, "1 failed")
    assert found is not None
    assert found.outcome is not None
    assert (found.outcome.auto_captured, found.confidence_tier) == (True, ConfidenceTier.GOLD)
    assert at_once.resolve(tmp_path, entry.id, OutcomeStatus.CONFIRMED, "ok") is None
    assert do(tmp_path, lambda journal: journal.get_session_entries()) == [found]


def test_journal_that_is_locked_is_waited_for_no_longer_than_told(tmp_path: Path) -> None:
    entry = begin(tmp_path)
    with lock(tmp_path / ".lock"):
        for step in (
            lambda: at_once.start_session(tmp_path, timeout=0.01),
            lambda: at_once.leave_session(tmp_path, entry.session_id, timeout=0.01),
            lambda: at_once.resolve(tmp_path, entry.id, OutcomeStatus.CONFIRMED, "x", timeout=0.01),
            lambda: counter.take(tmp_path, 1, active=True, timeout=0.01),
        ):
            with pytest.raises(LockTimeoutError):
                step()


def test_it_needs_neither_an_event_loop_nor_dataclasses() -> None:
    code = (
        "import sys; from ghap.local import at_once, active, counter, resolution\n"
        "print(sorted({'asyncio', 'aiofiles', 'logging', 'dataclasses', 'typing', 'hashlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# The count of calls between two questions


def test_one_call_in_each_period_is_told_that_a_question_is_due(tmp_path: Path) -> None:
    tmp_path.joinpath(".tool_count").write_text("0")
    assert [counter.take(tmp_path, 3, active=True) for _ in range(7)] == [False, False, True, False, False, True, False]
    assert [counter.take(tmp_path, 0, active=True) for _ in range(5)] == [False] * 5
    assert [counter.take(tmp_path, 2, active=False) for _ in range(3)] == [False] * 3
    assert counter.peek(tmp_path) == 9


# The active entry as hooks see it


def test_active_entry_is_read_without_its_classes(tmp_path: Path) -> None:
    assert active.load(tmp_path) is None
    entry = begin(tmp_path)
    found = active.load(tmp_path)
    assert found is not None
    assert (found.id, found.session_id, found.check, found.iteration) == (entry.id, entry.session_id, "c", 1)
    assert found.lines("goal", "nothing", "check") == ["Goal: g", "Check: c"]


def test_notes_are_of_one_entry(tmp_path: Path) -> None:
    begin(tmp_path)
    entry = active.load(tmp_path)
    assert entry is not None
    notes = active.notes(tmp_path, entry)
    assert (notes.is_new, notes.agent_id, notes.asked) == (True, "", 0)
    notes.agent_id, notes.asked = "a1", 2
    active.save_notes(tmp_path, notes)
    again = active.notes(tmp_path, entry)
    assert (again.is_new, again.agent_id, again.asked) == (False, "a1", 2)
    do(tmp_path, lambda journal: journal.abandon_ghap("x"))
    begin(tmp_path)
    other = active.load(tmp_path)
    assert other is not None
    assert active.notes(tmp_path, other).is_new


# What is learned afterwards


def resolve(folder: Path) -> GHAPEntry:
    entry = begin(folder)
    found = at_once.resolve(folder, entry.id, OutcomeStatus.FALSIFIED, "1 failed")
    assert found is not None
    return found


def everything(folder: Path) -> list[GHAPEntry]:
    found: list[GHAPEntry] = do(folder, lambda journal: journal.get_all_entries())
    return found


def test_amended_entry_takes_the_place_of_the_one_before_everywhere(tmp_path: Path) -> None:
    first, second = resolve(tmp_path), resolve(tmp_path)
    server = Server()
    sync_journal(tmp_path, "p", server)
    cause = RootCause("Wrong Assumption", "cached twice")
    amended = do(tmp_path, lambda journal: journal.amend_ghap(surprise="alone too", root_cause=cause))
    assert (amended.id, amended.outcome) == (second.id, second.outcome)
    assert (amended.surprise, amended.root_cause.category) == ("alone too", "wrong-assumption")
    assert do(tmp_path, lambda journal: journal.get_session_entries()) == [first, amended]
    assert everything(tmp_path) == [first, amended]
    sync_journal(tmp_path, "p", server)
    assert server.batches == [[first.id, second.id], [second.id]]
    assert server.stored[second.id]["surprise"] == "alone too"
    at_once.start_session(tmp_path)
    assert everything(tmp_path) == [first, amended]
    sync_journal(tmp_path, "p", server)
    assert len(server.batches) == 2


def test_entry_of_an_earlier_session_is_amended_in_its_archive(tmp_path: Path) -> None:
    old = resolve(tmp_path)
    at_once.start_session(tmp_path)
    new = resolve(tmp_path)
    lesson = Lesson("freezing the clock", "look for a clock")
    amended = do(tmp_path, lambda journal: journal.amend_ghap(old.id, lesson=lesson, note="n"))
    assert (amended.lesson, amended.notes) == (lesson, ["n"])
    assert everything(tmp_path) == [amended, new]
    server = Server()
    report = sync_journal(tmp_path, "p", server)
    assert (report.confirmed, server.stored[old.id]["notes"]) == (2, ["n"])


def test_same_words_again_change_nothing(tmp_path: Path) -> None:
    resolve(tmp_path)
    do(tmp_path, lambda journal: journal.amend_ghap(surprise="x"))
    size = (tmp_path / "session_entries.jsonl").stat().st_size
    do(tmp_path, lambda journal: journal.amend_ghap(surprise="x"))
    assert (tmp_path / "session_entries.jsonl").stat().st_size == size


def test_nothing_to_add_or_nothing_to_add_it_to_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoSuchEntryError, match="memory ghap list --all"):
        do(tmp_path, lambda journal: journal.amend_ghap(surprise="x"))
    resolve(tmp_path)
    with pytest.raises(NoSuchEntryError):
        do(tmp_path, lambda journal: journal.amend_ghap("ghap_other", surprise="x"))
    with pytest.raises(ValueError, match="nothing to add"):
        do(tmp_path, lambda journal: journal.amend_ghap())
