"""Settings files read, backed up and replaced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memorycli.agents import settings_file
from memorycli.agents.settings_file import Change, SettingsError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home ü"))
    return tmp_path / "home ü"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a b" / "settings.json"
    path.parent.mkdir()
    path.write_text("before\n")
    return path


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o440])
def test_mode_is_kept_with_any_umask(mode: int, path: Path) -> None:
    path.chmod(mode)
    before = os.umask(0o077)
    try:
        settings_file.apply(Change(path, "before\n", "after\n"))
    finally:
        os.umask(before)

    assert (path.read_text(), path.stat().st_mode & 0o777) == ("after\n", mode)


def test_symbolic_link_is_kept_and_its_target_changes(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(path)

    backup = settings_file.apply(Change(link, "before\n", "after\n"))

    assert link.is_symlink()
    assert path.read_text() == "after\n"
    assert settings_file.backups_of(link) == [backup]


def test_new_file_is_private_unless_it_is_shared(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        settings_file.apply(Change(tmp_path / "x/own", None, "a"))
        settings_file.apply(Change(tmp_path / "y/shared", None, "a", shared=True))
    finally:
        os.umask(before)

    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("x/own", "y/shared", "y")]
    assert modes == [0o600, 0o644, 0o755]


def test_file_changed_since_the_plan_is_an_error(path: Path) -> None:
    with pytest.raises(SettingsError, match="was changed by another program"):
        settings_file.apply(Change(path, "text when it was read\n", "after\n"))

    assert path.read_text() == "before\n"


def test_only_the_newest_backups_of_each_file_are_kept(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "settings.json"
    other.write_text("other")
    settings_file.apply(Change(other, "other", "changed"))
    for number in range(8):
        settings_file.apply(Change(path, path.read_text(), f"{number}"))

    assert [backup.read_text() for backup in settings_file.backups_of(path)] == ["2", "3", "4", "5", "6"]
    assert [backup.read_text() for backup in settings_file.backups_of(other)] == ["other"]
    assert {backup.stat().st_mode & 0o777 for backup in settings_file.backups_of(path)} == {0o600}


def test_file_that_is_not_utf8_is_an_error(path: Path) -> None:
    path.write_bytes(b'{"a": "\xff"}')

    with pytest.raises(SettingsError, match=r"is not UTF-8 \(byte 7\)"):
        settings_file.read(path)


def test_diff_shows_what_would_change(path: Path) -> None:
    diff = Change(path, "a\nb", "a\nc").diff()

    assert diff == f"--- {path}\n+++ {path}\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
