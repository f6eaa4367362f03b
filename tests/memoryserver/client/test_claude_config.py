"""The folders that CLAUDE_CONFIG_DIR names."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryserver.client.claude_config import named_folders


@pytest.mark.parametrize(
    ("value", "names"),
    [("", []), ("  ", []), ("{}/a", ["a"]), ("{}/a,{}/b", ["a", "b"]), (" {}/a , ,{}/b,", ["a", "b"])],
)
def test_folders_are_separated_by_commas(
    value: str, names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", value.replace("{}", str(tmp_path)))
    assert named_folders() == [tmp_path / name for name in names]


def test_existing_folder_with_a_comma_in_its_name_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a,b").mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "a,b"))
    assert named_folders() == [tmp_path / "a,b"]


def test_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "~/one,~/two")
    assert named_folders() == [tmp_path / "one", tmp_path / "two"]
