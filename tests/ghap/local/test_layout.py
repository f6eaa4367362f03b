"""The files of a journal folder: prepared, read, removed, and set aside when damaged."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from ghap.local import JournalCorruptedError, layout
from memoryserver.common import files
from tests.support.laptops.durability import inodes, record_syncs


def test_prepared_folder_is_ignored_by_git_and_keeps_what_is_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "journal"
    layout.prepare(folder)
    (folder / "current_ghap.json").write_text("{}")
    layout.prepare(folder)
    assert (folder / ".gitignore").read_text() == "*\n"
    assert (folder / "current_ghap.json").read_text() == "{}"


def test_prepare_removes_leftovers_of_crashed_writers_unless_another_writes(tmp_path: Path) -> None:
    layout.prepare(tmp_path)
    (tmp_path / "archive").mkdir()
    leftovers = [tmp_path / ".session_id.1.ab.tmp", tmp_path / "archive/x.tmp"]
    for path in (*leftovers, tmp_path / "..gitignore.1.ab.tmp"):
        path.write_text("half")
    with files.lock(tmp_path / ".lock"):
        layout.prepare(tmp_path)
    assert all(path.exists() for path in leftovers)
    layout.prepare(tmp_path)
    assert [path for path in leftovers if path.exists()] == []
    assert (tmp_path / "..gitignore.1.ab.tmp").exists()


def test_prepare_where_a_file_is_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("")
    with pytest.raises(FileExistsError):
        layout.prepare(tmp_path / "journal")


def test_damaged_file_is_renamed_and_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "current_ghap.json"
    path.write_text("{")
    with caplog.at_level(logging.ERROR):
        backup = layout.set_aside(path, "half an object")
    assert not path.exists()
    assert backup.read_text() == "{"
    assert backup.name.startswith("current_ghap.corrupted.")
    assert [record.getMessage() for record in caplog.records] == [
        f"current_ghap.json was damaged (half an object); it is kept as {backup.name}"
    ]


def test_backups_of_one_second_have_different_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1_700_000_000.5)
    path = tmp_path / ".session_id"
    names = []
    for _ in range(3):
        path.write_text("x")
        names.append(layout.set_aside(path, "x").name)
    first = ".session_id.corrupted.1700000000"
    assert names == [first, f"{first}-2", f"{first}-3"]


def test_damaged_file_that_cannot_be_moved_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(JournalCorruptedError, match=r"is damaged \(reason\) and cannot be moved"):
        layout.set_aside(tmp_path / "missing", "reason")


def test_missing_file_is_none_and_a_folder_in_its_place_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert layout.read(path) is None
    path.write_bytes(b"x")
    assert layout.read(path) == b"x"
    path.unlink()
    path.mkdir()
    with pytest.raises(layout.DamagedError, match="a folder in its place"):
        layout.read(path)


def test_removed_file_is_gone_and_a_folder_in_its_place_is_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "file"
    layout.remove(path)
    path.write_bytes(b"x")
    layout.remove(path)
    assert os.listdir(tmp_path) == []
    path.mkdir()
    layout.remove(path)
    (backup,) = tmp_path.iterdir()
    assert backup.name.startswith("file.corrupted.")


def test_only_a_folder_is_cleared_from_the_place_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    layout.clear_folder(path)
    path.write_bytes(b"x")
    layout.clear_folder(path)
    assert path.read_bytes() == b"x"
    path.unlink()
    path.mkdir()
    layout.clear_folder(path)
    assert not path.exists()


def test_removing_a_file_and_setting_one_aside_are_durable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("removed", "damaged"):
        (tmp_path / name).write_bytes(b"x")
    synced = record_syncs(monkeypatch)
    layout.remove(tmp_path / "removed")
    assert synced == inodes(tmp_path)
    layout.set_aside(tmp_path / "damaged", "reason")
    assert synced == inodes(tmp_path, tmp_path)
