"""Copies of resolved entries in the home folder: when they are written, and when they go."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from ghap.local import Journal, copies
from ghap.local.sync import sync_journal
from tests.support.fakes.journal_server import Server
from tests.support.laptops.journals import create, resolve


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "shop" / ".claude" / "journal", project="github.com/acme/shop")


def waiting() -> dict[str, Any]:
    return {path.stem: content for path, content, _ in copies.outbox().contents()}


def sync(journal: Journal, server: Server) -> None:
    sync_journal(journal.journal_dir, "github.com/acme/shop", server)


def test_resolved_entry_is_copied_with_its_journal_and_project(journal: Journal) -> None:
    create(journal)
    assert waiting() == {}
    entry = resolve(journal)
    content = {"journal": str(journal.journal_dir), "project": "github.com/acme/shop", "entry": entry.to_dict()}
    assert waiting() == {entry.id: json.loads(json.dumps(content))}


def test_abandoned_orphaned_and_amended_entries_are_copied(journal: Journal) -> None:
    first = create(journal)
    journal.start_session()
    journal.abandon_orphan("left")
    second = create(journal)
    journal.end_session()
    amended = journal.amend_ghap(second.id, note="learned")
    assert sorted(waiting()) == sorted([first.id, second.id])
    assert waiting()[second.id]["entry"] == json.loads(json.dumps(amended.to_dict()))


def test_journal_without_a_project_copies_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    create(journal)
    resolve(journal)
    assert waiting() == {}


def test_copy_goes_when_the_server_has_the_entry(journal: Journal) -> None:
    server = Server()
    create(journal)
    entry = resolve(journal)
    sync(journal, server)
    assert (list(server.stored), waiting()) == ([entry.id], {})

    journal.amend_ghap(entry.id, note="more")
    assert list(waiting()) == [entry.id]
    journal.start_session()
    sync(journal, server)
    assert (server.stored[entry.id]["notes"], waiting()) == (["more"], {})


def test_copy_waits_while_the_server_is_away(journal: Journal) -> None:
    server = Server()
    server.lose_answer = lambda _: True
    create(journal)
    entry = resolve(journal)
    sync(journal, server)
    assert list(waiting()) == [entry.id]
    server.lose_answer = lambda _: False
    sync(journal, server)
    assert waiting() == {}


def test_copy_of_a_refused_entry_is_set_aside_with_the_reason(journal: Journal) -> None:
    server = Server()
    create(journal)
    entry = resolve(journal)
    server.refuse = {entry.id: "goal is missing"}
    sync(journal, server)
    assert (waiting(), copies.outbox().why_failed(entry.id)) == ({}, "goal is missing")


def test_copy_of_an_archived_entry_goes_when_its_archive_is_settled(journal: Journal) -> None:
    server = Server()
    create(journal)
    entry = resolve(journal)
    journal.start_session()
    sync(journal, server)
    copies.save(entry, journal.journal_dir, "github.com/acme/shop")
    sync(journal, server)
    assert (server.sent, waiting()) == ([entry.id], {})


def test_amendment_that_was_not_finished_does_not_hold_its_copy_up(journal: Journal) -> None:
    server = Server()
    create(journal)
    entry = resolve(journal)
    sync(journal, server)
    entry.notes.append("a process was killed before it filed this")
    copies.save(entry, journal.journal_dir, "github.com/acme/shop")
    sync(journal, server)
    assert waiting() == {}


def test_copies_of_another_journal_and_of_an_active_entry_stay(journal: Journal, tmp_path: Path) -> None:
    entry = create(journal)
    copies.save(entry, journal.journal_dir, "github.com/acme/shop")
    other = Journal(tmp_path / "other", project="other")
    create(other)
    filed = resolve(other)
    sync(journal, Server())
    assert sorted(waiting()) == sorted([entry.id, filed.id])


def test_home_that_cannot_be_written_does_not_keep_an_entry_from_being_resolved(
    journal: Journal, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home.write_text("a file in the way")
    create(journal)
    with caplog.at_level(logging.WARNING, logger="ghap.local"):
        entry = resolve(journal)
    assert [filed.id for filed in journal.get_session_entries()] == [entry.id]
    assert f"{entry.id} has no copy in the home folder until it is delivered" in caplog.text


def test_journals_are_those_that_exist_and_of_which_copies_wait(journal: Journal, tmp_path: Path) -> None:
    entry = create(journal)
    for folder in (journal.journal_dir, tmp_path / "gone"):
        entry.id = f"ghap_{folder.name}"
        copies.save(entry, folder, folder.name)
    copies.outbox().add("odd", {"journal": 7})
    assert copies.journals() == {journal.journal_dir: "journal"}
