"""What is learned after an entry was resolved."""

from __future__ import annotations

from pathlib import Path

import pytest

from ghap.local import GHAPEntry, Journal, Lesson, NoSuchEntryError, OutcomeStatus, RootCause
from ghap.local.sync import sync_journal
from tests.support.fakes.journal_server import Server
from tests.support.laptops.journals import create, run


def falsified(folder: Path) -> GHAPEntry:
    """An entry that its check has resolved."""
    journal = Journal(folder)
    entry = journal.resolve_by_check(create(journal).id, OutcomeStatus.FALSIFIED, "1 failed")
    assert entry is not None
    return entry


def test_amended_entry_takes_the_place_of_the_one_before_everywhere(tmp_path: Path) -> None:
    first, second = falsified(tmp_path), falsified(tmp_path)
    server = Server()
    sync_journal(tmp_path, "p", server)
    cause = RootCause("Wrong Assumption", "cached twice")
    amended = run(tmp_path, lambda journal: journal.amend_ghap(surprise="alone too", root_cause=cause))
    assert (amended.id, amended.outcome) == (second.id, second.outcome)
    assert (amended.surprise, amended.root_cause.category) == ("alone too", "wrong-assumption")
    assert Journal(tmp_path).get_session_entries() == [first, amended]
    assert Journal(tmp_path).get_all_entries() == [first, amended]
    sync_journal(tmp_path, "p", server)
    assert server.batches == [[first.id, second.id], [second.id]]
    assert server.stored[second.id]["surprise"] == "alone too"
    Journal(tmp_path).start_session()
    assert Journal(tmp_path).get_all_entries() == [first, amended]
    sync_journal(tmp_path, "p", server)
    assert len(server.batches) == 2


def test_entry_of_an_earlier_session_is_amended_in_its_archive(tmp_path: Path) -> None:
    old = falsified(tmp_path)
    Journal(tmp_path).start_session()
    new = falsified(tmp_path)
    lesson = Lesson("freezing the clock", "look for a clock")
    amended = Journal(tmp_path).amend_ghap(old.id, lesson=lesson, note="n")
    assert (amended.lesson, amended.notes) == (lesson, ["n"])
    assert Journal(tmp_path).get_all_entries() == [amended, new]
    server = Server()
    report = sync_journal(tmp_path, "p", server)
    assert (report.sent, server.stored[old.id]["notes"]) == (2, ["n"])


def test_same_words_again_change_nothing(tmp_path: Path) -> None:
    falsified(tmp_path)
    Journal(tmp_path).amend_ghap(surprise="x")
    size = (tmp_path / "session_entries.jsonl").stat().st_size
    Journal(tmp_path).amend_ghap(surprise="x")
    assert (tmp_path / "session_entries.jsonl").stat().st_size == size


def test_nothing_to_add_or_no_entry_to_amend_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoSuchEntryError, match="no such entry was resolved in this journal"):
        Journal(tmp_path).amend_ghap(surprise="x")
    falsified(tmp_path)
    with pytest.raises(NoSuchEntryError):
        Journal(tmp_path).amend_ghap("ghap_other", surprise="x")
    with pytest.raises(ValueError, match="nothing to add"):
        Journal(tmp_path).amend_ghap()
