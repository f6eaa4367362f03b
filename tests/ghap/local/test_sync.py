"""What reaches the server, what is remembered, and what is said about the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ghap.local import GHAPEntry, Journal
from ghap.local.sync import SyncReport, sync_journal
from memoryserver.client.http import UnauthorizedError, UnreachableError
from memoryserver.common import files
from memoryserver.common.files import LockTimeoutError
from tests.ghap.local.samples import body
from tests.support.examples import examples
from tests.support.fakes.journal_server import Server
from tests.support.laptops.journals import create, resolve, run

OFFLINE = UnreachableError("http://x cannot be reached: no route")


def sync(folder: Path, server: Any, **options: Any) -> SyncReport:
    return sync_journal(folder, "github.com/acme/shop", server, server="http://x", **options)


def fill(folder: Path, *counts: int) -> list[str]:
    """Sessions with so many resolved entries each, the last of them open; the ids."""
    ids = []
    Journal(folder)
    (folder / "archive").mkdir(exist_ok=True)
    for session, count in enumerate(counts, start=1):
        name = f"session_20251203_{session:06}_abcdef"
        lines = [entry_line(f"ghap_20251203_{session:06}_{number:06}", name) for number in range(count)]
        path = folder / f"archive/20251203_{name}.jsonl"
        if session == len(counts):
            (folder / ".session_id").write_text(name)
            path = folder / "session_entries.jsonl"
        path.write_text("".join(line + "\n" for line in lines))
        ids += [json.loads(line)["id"] for line in lines]
    return ids


def entry_line(entry_id: str, session_id: str = "session_20251203_140000_x7y8z9", **changes: Any) -> str:
    return GHAPEntry.from_dict(body(id=entry_id, session_id=session_id, **changes)).to_json()


def state(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / ".sync.json").read_bytes())
    return found


def test_resolved_abandoned_and_archived_entries_are_sent_and_the_active_one_is_not(tmp_path: Path) -> None:
    archived = run(tmp_path, create, resolve)
    run(tmp_path, lambda journal: journal.start_session(), create)
    abandoned = run(tmp_path, lambda journal: journal.abandon_ghap("r"))
    run(tmp_path, create)
    server = Server()
    assert sync(tmp_path, server) == SyncReport(sent=2)
    assert server.batches == [[archived.id, abandoned.id]]
    assert server.projects == {"github.com/acme/shop"}
    assert list(server.stored.values()) == [archived.to_dict(), abandoned.to_dict()]


def test_confirmed_entries_are_not_sent_again(tmp_path: Path) -> None:
    fill(tmp_path, 3, 3)
    server = Server()
    sync(tmp_path, server)
    assert sync(tmp_path, server) == SyncReport()
    assert len(server.sent) == 6


def test_entry_archived_after_it_was_confirmed_is_not_sent_again(tmp_path: Path) -> None:
    entry = run(tmp_path, create, resolve)
    server = Server()
    sync(tmp_path, server)
    run(tmp_path, lambda journal: journal.end_session())
    sync(tmp_path, server)
    assert server.sent == [entry.id]


def test_batches_hold_at_most_a_hundred_entries(tmp_path: Path) -> None:
    ids = fill(tmp_path, 120, 130)
    server = Server()
    assert sync(tmp_path, server).sent == 250
    assert [len(batch) for batch in server.batches] == [100, 100, 50]
    assert server.sent == ids


def test_batches_are_bounded_in_bytes_too(tmp_path: Path) -> None:
    fill(tmp_path, 1)
    lines = [entry_line(f"ghap_{number}", unknown="x" * 400_000) for number in range(5)]
    lines.append(entry_line("ghap_large", unknown="x" * 3_000_000))
    (tmp_path / "session_entries.jsonl").write_text("\n".join(lines))
    server = Server()
    assert sync(tmp_path, server).sent == 6
    assert [len(batch) for batch in server.batches] == [2, 2, 1, 1]


def test_deleted_state_only_makes_things_be_sent_again(tmp_path: Path) -> None:
    ids = fill(tmp_path, 2, 1)
    server = Server()
    sync(tmp_path, server)
    (tmp_path / ".sync.json").unlink()
    assert sync(tmp_path, server) == SyncReport(sent=3)
    assert server.sent == ids * 2


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"server": "http://x"}', b"[" * 99_999])
def test_damaged_state_is_set_aside_and_everything_sent_again(content: bytes, tmp_path: Path) -> None:
    fill(tmp_path, 2, 1)
    (tmp_path / ".sync.json").write_bytes(content)
    assert sync(tmp_path, Server()).sent == 3
    (backup,) = tmp_path.glob(".sync.corrupted.*")
    assert backup.read_bytes() == content
    assert sync(tmp_path, Server()).sent == 0


@pytest.mark.parametrize("field", ["confirmed", "refused", "archives"])
def test_state_of_wrong_types_is_set_aside(field: str, tmp_path: Path) -> None:
    fill(tmp_path, 2, 1)
    sync(tmp_path, Server())
    values: tuple[object, ...] = ([], {"a": 1}, {"a": ["b"]}, None)
    for value in values:
        (tmp_path / ".sync.json").write_text(json.dumps(state(tmp_path) | {field: value}))
        assert sync(tmp_path, Server()).sent == 3


@pytest.mark.parametrize("change", [{"server": "http://y"}, {"project": "other"}, {"account": "bob"}])
def test_another_server_project_or_account_gets_everything(change: dict[str, str], tmp_path: Path) -> None:
    fill(tmp_path, 2, 1)
    first = {"project": "p", "server": "http://x", "account": "alice"}
    for options, expected in ((first, 3), (first, 0), (first | change, 3), (first | change, 0), (first, 3)):
        project, server, account = options["project"], options["server"], options["account"]
        report = sync_journal(tmp_path, project, Server(), server=server, account=account)
        assert report.sent == expected


def test_changed_content_is_sent_again(tmp_path: Path) -> None:
    fill(tmp_path, 0, 2)
    server = Server()
    sync(tmp_path, server)
    path = tmp_path / "session_entries.jsonl"
    path.write_text(path.read_text().replace("Offset is slow", "Offset is not", 1))
    assert sync(tmp_path, server).sent == 1


def test_archive_changed_after_it_was_confirmed_is_sent_again(tmp_path: Path) -> None:
    ids = fill(tmp_path, 2, 0)
    server = Server()
    sync(tmp_path, server)
    (path,) = (tmp_path / "archive").iterdir()
    files.append_line(path, entry_line("ghap_late"))
    sync(tmp_path, server)
    assert server.sent == [*ids, *ids, "ghap_late"]


def test_state_does_not_grow_with_what_is_confirmed(tmp_path: Path) -> None:
    fill(tmp_path, *[200] * 5, 1)
    sync(tmp_path, Server())
    kept = state(tmp_path)
    assert len(kept["confirmed"]) == 1
    assert len(kept["archives"]) == 5
    for path in (tmp_path / "archive").iterdir():
        path.unlink()
    (tmp_path / "session_entries.jsonl").unlink()
    sync(tmp_path, Server())
    assert (state(tmp_path)["confirmed"], state(tmp_path)["archives"]) == ({}, {})


def test_unreadable_lines_are_named_and_hold_up_nothing(tmp_path: Path) -> None:
    ids = fill(tmp_path, 1, 1)
    (archive,) = (tmp_path / "archive").iterdir()
    archive.write_bytes(b'{"id": 1}\n' + archive.read_bytes() + b"\xff\n")
    server = Server()
    report = sync(tmp_path, server)
    assert server.sent == ids
    assert report.unreadable == [
        f"archive/{archive.name}, entry 1: id must be 1 to 100 letters, digits, '_', '-', '.' or ':'",
        f"archive/{archive.name}, entry 3: not UTF-8 at byte 0",
    ]


def test_missing_folder_has_nothing_to_send_and_is_not_made(tmp_path: Path) -> None:
    assert sync(tmp_path / "none", Server()) == SyncReport()
    assert list(tmp_path.iterdir()) == []


def test_second_sync_at_once_waits_and_names_the_first(tmp_path: Path) -> None:
    fill(tmp_path, 1)
    said = f"for more than 0.02 s by process {os.getpid()};"
    with files.lock(tmp_path / ".sync.lock"), pytest.raises(LockTimeoutError, match=said):
        sync(tmp_path, Server(), lock_timeout=0.02)


def test_journal_can_be_used_while_a_batch_is_on_its_way(tmp_path: Path) -> None:
    entry = run(tmp_path, create, resolve)
    server = Server()

    def post(path: str, entries: Any) -> Any:
        run(tmp_path, create, resolve)
        run(tmp_path, lambda journal: journal.start_session())
        return server(path, entries)

    assert sync(tmp_path, post).sent == 1
    assert sync(tmp_path, server).sent == 1
    assert len(server.sent) == 2
    assert server.sent[0] == entry.id


@settings(max_examples=examples(10), suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(["ok", "offline", "lost", "unauthorised", "garbage"]), max_size=12))
def test_whatever_the_network_does_all_arrives_and_little_is_sent_twice(
    tmp_path_factory: pytest.TempPathFactory, fates: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    ids = fill(folder, 70, 60)
    server, left = Server(), list(fates)

    def post(path: str, entries: Any) -> Any:
        fate = left.pop(0) if left else "ok"
        if fate == "offline":
            raise OFFLINE
        if fate == "unauthorised":
            raise UnauthorizedError("no", 401, {})
        answer = server(path, entries)
        if fate == "lost":
            raise UnreachableError("timed out")
        return answer if fate == "ok" else {}

    for _ in range(20):
        try:
            report = sync(folder, post)
        except UnauthorizedError:
            continue
        if report == SyncReport():
            break
    assert sorted(server.stored) == sorted(ids)
    unanswered = sum(fate in ("lost", "garbage") for fate in fates)
    assert len(server.sent) <= len(ids) + 100 * unanswered


def test_process_ended_at_any_file_operation_of_a_sync_sends_everything_and_little_twice() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "tests.ghap.local.sync_crash"], capture_output=True, check=False, timeout=300
    )
    assert process.returncode == 0, process.stderr.decode()
    report = json.loads(process.stdout)
    assert report["failures"] == []
    assert report["points"] == len(report["moments"])


def test_amendment_after_a_crash_between_archive_and_session_file_is_sent(tmp_path: Path) -> None:
    (entry_id,) = fill(tmp_path, 1)
    session = tmp_path / "session_entries.jsonl"
    (tmp_path / "archive/20251203_session_20251203_000001_abcdef.jsonl").write_bytes(session.read_bytes())
    Journal(tmp_path).amend_ghap(entry_id, note="later")
    server = Server()

    sync(tmp_path, server)
    assert server.stored[entry_id]["notes"] == ["later"]
    Journal(tmp_path).end_session()
    assert sync(tmp_path, server).waiting == 0
    assert server.stored[entry_id]["notes"] == ["later"]
