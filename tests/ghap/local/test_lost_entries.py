"""Entries whose journal was deleted are sent from their copies, each once and with nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ghap.local import Journal, copies, lost_entries
from ghap.local.sync import SyncReport
from memoryserver.client.http import UnreachableError
from tests.support.fakes.journal_server import Server
from tests.support.laptops.journals import create, resolve


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))


def filed(folder: Path, project: str = "shop") -> str:
    journal = Journal(folder, project=project)
    create(journal)
    return resolve(journal).id


def deliver(server: Server) -> SyncReport:
    report = SyncReport()
    lost_entries.deliver(server, report)
    return report


def waiting() -> list[str]:
    return [path.stem for path in copies.outbox().waiting()]


def test_entry_whose_journal_was_deleted_is_sent_under_its_project(tmp_path: Path) -> None:
    server = Server()
    ids = [filed(tmp_path / name, project) for name, project in (("a", "one"), ("b", "two"), ("c", "one"))]
    for name in "abc":
        shutil.rmtree(tmp_path / name)

    report = deliver(server)

    assert (report.sent, sorted(server.stored), server.projects, waiting()) == (3, sorted(ids), {"one", "two"}, [])
    assert len(server.batches) == 2
    assert deliver(server).sent == 0


def test_entry_that_its_journal_holds_is_not_sent_from_the_copy(tmp_path: Path) -> None:
    server = Server()
    entry_id = filed(tmp_path / "a")
    journal = Journal(tmp_path / "b", project="shop")
    active = create(journal)
    copies.save(active, journal.journal_dir, "shop")  # as after a kill before it was filed

    assert (deliver(server).sent, sorted(waiting())) == (0, sorted([entry_id, active.id]))


def test_entry_is_sent_where_a_new_journal_lies_in_place_of_the_deleted_one(tmp_path: Path) -> None:
    server = Server()
    lost = filed(tmp_path / "a")
    shutil.rmtree(tmp_path / "a")
    held = filed(tmp_path / "a")
    deliver(server)
    assert (list(server.stored), waiting()) == ([lost], [held])


def test_refused_entry_is_set_aside_and_a_server_that_is_away_keeps_all(tmp_path: Path) -> None:
    server = Server()
    bad, good = filed(tmp_path / "a"), filed(tmp_path / "b")
    for name in "ab":
        shutil.rmtree(tmp_path / name)
    server.fail = lambda _: UnreachableError("away")
    assert (deliver(server).unreachable, sorted(waiting())) == (True, sorted([bad, good]))

    server.fail = lambda _: None
    server.refuse = {bad: "goal is missing"}
    report = deliver(server)
    assert (report.sent, report.failed, report.reason, waiting()) == (1, 1, "goal is missing", [])
    assert copies.outbox().why_failed(bad) == "goal is missing"


def test_file_that_is_not_a_copy_is_set_aside() -> None:
    copies.outbox().add("odd", {"entry": {}, "journal": "/x"})
    deliver(Server())
    assert copies.outbox().why_failed("odd") == "not a copy of an entry"


def test_process_killed_at_any_file_operation_loses_and_doubles_nothing() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "tests.ghap.local.copy_crash"], capture_output=True, check=False, timeout=300
    )
    assert process.returncode == 0, process.stderr.decode()
    report = json.loads(process.stdout)
    assert report["failures"] == []
    assert sorted(report["points"]) == ["amend", "deliver", "deliver lost", "resolve"]
    assert min(report["points"].values()) > 0
