"""The records of what was added to agents' settings."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memorycli.agents import installed
from memorycli.agents.installed import Record

RECORD = Record("codex", "user", "hooks", "/u/hooks.json", keep=["hooks"])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home ü"))
    return tmp_path / "home ü"


def saved() -> Record:
    record = installed.find(RECORD)
    assert record is not None
    return record


def test_record_is_found_by_agent_scope_path_and_project() -> None:
    installed.add(RECORD, "before", "after")

    assert (saved().part, saved().keep) == ("hooks", ["hooks"])
    assert installed.records("codex") == [saved()]
    assert installed.records("claude-code") == []
    assert installed.find(replace(RECORD, scope="project")) is None
    assert installed.find(replace(RECORD, path="/u/config.toml")) is None
    assert installed.find(replace(RECORD, root="/other")) is None


def test_base_of_an_unchanged_file_is_its_text_before() -> None:
    installed.add(RECORD, "before ü\r\n", "after")

    assert installed.base_text(saved(), "after") == (True, "before ü\r\n")


def test_base_of_a_created_file_is_no_file() -> None:
    installed.add(RECORD, None, "after")

    assert installed.base_text(saved(), "after") == (True, None)


@pytest.mark.parametrize("current", ["after ", "", None])
def test_base_of_a_changed_file_is_unknown(current: str | None) -> None:
    installed.add(RECORD, "before", "after")

    assert installed.base_text(saved(), current) == (False, None)


def test_base_is_unknown_if_its_file_is_lost_or_damaged(home: Path) -> None:
    installed.add(RECORD, "before", "after")
    path = home / "installed" / saved().base

    path.write_bytes(b"\xff")
    assert installed.base_text(saved(), "after") == (False, None)
    path.unlink()
    assert installed.base_text(saved(), "after") == (False, None)


def test_second_record_of_a_file_replaces_the_first() -> None:
    installed.add(RECORD, "before", "after")
    installed.add(RECORD, "before", "later")

    assert len(installed.records("codex")) == 1
    assert installed.base_text(saved(), "later") == (True, "before")


def test_removed_record_leaves_no_base_and_the_other_records(home: Path) -> None:
    other = Record("codex", "user", "mcp", "/u/config.toml")
    installed.add(RECORD, "before", "after")
    installed.add(other, "x", "y")

    installed.remove(saved())

    assert [record.part for record in installed.records("codex")] == ["mcp"]
    assert len(list((home / "installed").iterdir())) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"files": 1}', '{"files": [1]}', '{"files": [{"x": 1}]}'])
def test_damaged_list_has_no_records_and_is_replaced(text: str, home: Path) -> None:
    home.mkdir()
    (home / installed.FILE).write_text(text)
    assert installed.records("codex") == []

    installed.add(RECORD, None, "after")

    assert len(json.loads((home / installed.FILE).read_text())["files"]) == 1


def test_files_are_private(home: Path) -> None:
    installed.add(RECORD, "before", "after")

    assert {path.stat().st_mode & 0o077 for path in home.rglob("*")} == {0}
