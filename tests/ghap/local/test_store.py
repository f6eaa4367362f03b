"""The files of entries: the active one, this session's, and the archives."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ghap.local import GHAPEntry, session_file
from ghap.local.store import State, Store, archive_name
from tests.ghap.local.samples import body

SESSION = "session_20251203_140000_x7y8z9"
OTHER = "session_20251204_140000_x7y8z9"
ARCHIVE = f"20251203_{SESSION}.jsonl"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def entry(entry_id: str = "ghap_1", session_id: str = SESSION) -> GHAPEntry:
    return GHAPEntry.from_dict(body(id=entry_id, session_id=session_id))


@pytest.mark.parametrize(("open_session", "is_orphan"), [(SESSION, False), (OTHER, True), (None, True)])
def test_active_entry_of_another_session_is_an_orphan(open_session: str | None, is_orphan: bool) -> None:
    active = entry()
    assert State(active, open_session).orphan == (active if is_orphan else None)
    assert State(None, open_session).orphan is None


def test_filed_entry_is_no_longer_active(store: Store) -> None:
    store.save_current(entry())
    assert store.load() == State(entry(), None)
    store.file_in_session(entry())
    assert store.load() == State(None, None)
    assert [line.entry for line in store.session_lines()] == [entry()]


def test_state_that_needs_a_repair_is_not_peeked_at_but_loaded(store: Store, tmp_path: Path) -> None:
    assert store.peek() == State(None, None)
    store.file_in_session(entry())
    store.save_current(entry())  # as a crash before it was cleared leaves it
    assert store.peek() is None
    assert store.load() == State(None, None)
    (tmp_path / "current_ghap.json").write_text("{")
    assert store.peek() is None
    assert store.load() == State(None, None)
    assert store.peek() == State(None, None)


def test_session_id_is_part_of_the_state(store: Store, tmp_path: Path) -> None:
    session_file.write(tmp_path, SESSION)
    assert store.peek() == store.load() == State(None, SESSION)


def test_archived_session_is_moved_and_never_doubled(store: Store, tmp_path: Path) -> None:
    store.file_in_session(entry("ghap_1"))
    lines = (tmp_path / "session_entries.jsonl").read_bytes()
    assert store.archive_session(SESSION) == [entry("ghap_1")]
    assert not (tmp_path / "session_entries.jsonl").exists()
    (tmp_path / "session_entries.jsonl").write_bytes(lines)
    store.file_in_session(entry("ghap_2"))
    store.archive_session(SESSION)
    assert [path.name for path in store.archives()] == [ARCHIVE]
    assert (tmp_path / "archive" / ARCHIVE).read_bytes().count(b"\n") == 2


def test_without_a_session_each_entry_goes_to_the_archive_of_its_own(store: Store) -> None:
    store.file_in_session(entry("ghap_1"))
    store.file_in_session(entry("ghap_2", OTHER))
    store.archive_session(None)
    assert [path.name for path in store.archives()] == [ARCHIVE, f"20251204_{OTHER}.jsonl"]


def test_unreadable_lines_of_an_archived_session_are_backed_up(store: Store, tmp_path: Path) -> None:
    (tmp_path / "session_entries.jsonl").write_bytes(b"{\n" + entry().to_json().encode() + b"\nnull\n")
    assert store.archive_session(SESSION) == [entry()]
    (backup,) = tmp_path.glob("session_entries.corrupted.*")
    assert backup.read_bytes() == b"{\nnull\n"


def test_filed_entries_are_found_by_id_and_the_last_by_default(store: Store, tmp_path: Path) -> None:
    assert store.find_filed(None) is None
    store.file_in_archive(entry("ghap_1"))
    store.file_in_session(entry("ghap_2"))
    assert store.find_filed(None) == (tmp_path / "session_entries.jsonl", entry("ghap_2"))
    assert store.find_filed("ghap_1") == (tmp_path / "archive" / ARCHIVE, entry("ghap_1"))
    assert store.find_filed("ghap_3") is None
    assert [item.id for item in store.filed_entries()] == ["ghap_1", "ghap_2"]


def test_last_line_of_an_amended_entry_counts(store: Store, tmp_path: Path) -> None:
    store.file_in_session(entry())
    amended = entry()
    amended.surprise = "s"
    store.file_again(tmp_path / "session_entries.jsonl", amended)
    assert list(store.filed_entries()) == [amended]


def test_invalid_session_id_never_gets_into_the_name_of_an_archive() -> None:
    day = datetime(2025, 12, 5, tzinfo=UTC)
    assert archive_name(SESSION, day) == ARCHIVE
    assert archive_name("../x", day) == "20251205_session_unknown.jsonl"


def amended(note: str) -> GHAPEntry:
    return GHAPEntry.from_dict(body(id="ghap_1", session_id=SESSION, notes=[note]))


def archived_before_a_crash(store: Store, folder: Path, *entries: GHAPEntry) -> None:
    """The archive was written, and the process died before it removed the session's file."""
    (folder / "archive").mkdir()
    (folder / "archive" / ARCHIVE).write_text("".join(item.to_json() + "\n" for item in entries))
    for item in entries:
        store.file_in_session(item)


def test_amendment_after_a_crash_between_archive_and_session_file_is_archived(store: Store, tmp_path: Path) -> None:
    archived_before_a_crash(store, tmp_path, entry(), entry("ghap_2"))
    store.file_again(tmp_path / "session_entries.jsonl", amended("later"))

    assert list(store.filed_entries()) == [amended("later"), entry("ghap_2")]
    store.archive_session(SESSION)
    assert list(store.filed_entries()) == [amended("later"), entry("ghap_2")]
    assert (tmp_path / "archive" / ARCHIVE).read_text().splitlines() == [
        item.to_json() for item in (entry(), entry("ghap_2"), amended("later"))
    ]


def test_several_amendments_after_a_crash_leave_the_last_one(store: Store, tmp_path: Path) -> None:
    archived_before_a_crash(store, tmp_path, entry())
    for note in ("first", "second"):
        store.file_again(tmp_path / "session_entries.jsonl", amended(note))

    assert store.archive_session(SESSION) == [amended("second")]
    assert list(store.filed_entries()) == [amended("second")]


@pytest.mark.parametrize("is_archived", [False, True], ids=["first time", "again after a crash"])
def test_archive_and_its_folder_are_durable_before_the_session_file_is_removed(
    is_archived: bool, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [entry(), entry("ghap_2")]
    if is_archived:
        archived_before_a_crash(store, tmp_path, *both)
    else:
        (tmp_path / "archive").mkdir()
        for item in both:
            store.file_in_session(item)
    steps: list[str] = []
    fsync, unlink = os.fsync, Path.unlink

    def recorded_fsync(descriptor: int) -> None:
        steps.append(f"fsync {os.path.basename(os.readlink(f'/proc/self/fd/{descriptor}'))}")
        fsync(descriptor)

    def recorded_unlink(path: Path, *, missing_ok: bool = False) -> None:
        steps.append(f"unlink {path.name}")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(os, "fsync", recorded_fsync)
    monkeypatch.setattr(Path, "unlink", recorded_unlink)
    store.archive_session(SESSION)
    assert steps[:3] == [f"fsync {ARCHIVE}", "fsync archive", "unlink session_entries.jsonl"]
