"""What a sync does with refused entries, a refused token, and a server that does not answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ghap.local.sync import SyncReport
from memoryserver.client.http import RefusedError, UnauthorizedError
from tests.ghap.local.test_sync import OFFLINE, fill, sync
from tests.support.fakes.journal_server import Server


def test_refused_entry_is_kept_and_named_and_holds_up_nothing(tmp_path: Path) -> None:
    ids = fill(tmp_path, 2, 2)
    server = Server()
    server.refuse = {ids[1]: "no\nsuch \x1b[31mdomain"}
    reports = [sync(tmp_path, server) for _ in range(3)]
    assert [(report.sent, report.failed) for report in reports] == [(3, 1), (0, 0), (0, 0)]
    assert [report.refused for report in reports] == [{ids[1]: "no such domain"}] * 3
    assert server.sent.count(ids[1]) == 1


def test_refused_entry_is_sent_again_when_asked(tmp_path: Path) -> None:
    ids = fill(tmp_path, 2, 2)
    server = Server()
    server.refuse = {ids[1]: "no"}
    sync(tmp_path, server)
    assert sync(tmp_path, server, retry_failed=True).refused == {ids[1]: "no"}
    server.refuse = {}
    assert sync(tmp_path, server) == SyncReport(refused={ids[1]: "no"})
    assert sync(tmp_path, server, retry_failed=True) == SyncReport(sent=1)
    assert sync(tmp_path, server) == SyncReport()
    assert server.sent.count(ids[0]) == 1


def test_refused_entry_is_sent_again_when_its_content_changed(tmp_path: Path) -> None:
    ids = fill(tmp_path, 0, 2)
    server = Server()
    server.refuse = {ids[0]: "no"}
    sync(tmp_path, server)
    server.refuse = {}
    path = tmp_path / "session_entries.jsonl"
    path.write_text(path.read_text().replace("Offset is slow", "Offset is not", 1))
    assert sync(tmp_path, server) == SyncReport(sent=1)


@pytest.mark.parametrize("status", [413, 422])
def test_batch_refused_as_a_whole_is_halved_until_the_bad_entry_is_found(status: int, tmp_path: Path) -> None:
    ids = fill(tmp_path, 150, 50)
    server = Server()
    server.poison = {ids[7]: status, ids[8]: status, ids[180]: status}
    report = sync(tmp_path, server)
    assert report.sent == 197
    assert report.refused == dict.fromkeys((ids[7], ids[8], ids[180]), "refused: not valid")
    assert set(server.stored) == set(ids) - {ids[7], ids[8], ids[180]}
    before = len(server.batches)
    sync(tmp_path, server)
    assert len(server.batches) == before


def test_refused_token_stops_the_sync_and_marks_nothing(tmp_path: Path) -> None:
    fill(tmp_path, 150, 50)
    server = Server()
    server.fail = lambda batch: UnauthorizedError("token refused", 401, {}) if batch == 1 else None
    with pytest.raises(UnauthorizedError, match="token refused"):
        sync(tmp_path, server)
    server.fail = lambda _: None
    assert sync(tmp_path, server) == SyncReport(sent=100)
    assert len(server.sent) == len(set(server.sent)) == 200


@pytest.mark.parametrize("status", [400, 404, 405, 409])
def test_status_that_does_not_judge_the_entries_lets_them_wait(status: int, tmp_path: Path) -> None:
    fill(tmp_path, 150, 50)
    server = Server()
    server.fail = lambda batch: RefusedError("not here", status, {}) if batch == 1 else None
    assert sync(tmp_path, server) == SyncReport(sent=100, waiting=100, later="not here")
    server.fail = lambda _: None
    assert sync(tmp_path, server) == SyncReport(sent=100)
    assert len(server.sent) == len(set(server.sent)) == 200


def test_offline_is_reported_with_what_waits(tmp_path: Path) -> None:
    fill(tmp_path, 150, 103)
    server = Server()
    server.fail = lambda _: OFFLINE
    assert sync(tmp_path, server) == SyncReport(waiting=253, later=str(OFFLINE), unreachable=True)
    server.fail = lambda batch: OFFLINE if batch == 1 else None
    assert sync(tmp_path, server) == SyncReport(sent=100, waiting=153, later=str(OFFLINE), unreachable=True)
    server.fail = lambda _: None
    assert sync(tmp_path, server) == SyncReport(sent=153)
    assert len(server.sent) == 253


def test_lost_answer_means_the_batch_is_sent_again(tmp_path: Path) -> None:
    ids = fill(tmp_path, 0, 3)
    server = Server()
    server.lose_answer = lambda batch: batch == 0
    assert sync(tmp_path, server).waiting == 3
    assert sync(tmp_path, server) == SyncReport(sent=3)
    assert server.sent == ids * 2


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        "ok",
        {"results": None},
        {"results": []},
        {"results": [{"id": "other", "status": "stored"}]},
        {"results": [{"id": "ghap_20251203_000001_000000", "status": "maybe"}]},
        {"results": ["stored"]},
    ],
)
def test_answer_that_is_not_understood_confirms_nothing(answer: Any, tmp_path: Path) -> None:
    fill(tmp_path, 1)
    report = sync(tmp_path, lambda *_: answer)
    assert (report.sent, report.waiting, report.unreachable) == (0, 1, False)
    assert report.later
    assert sync(tmp_path, Server()).sent == 1
