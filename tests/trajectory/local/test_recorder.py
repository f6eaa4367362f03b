"""Which project a call belongs to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memoryserver.client import places
from trajectory.local import recorder


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    (tmp_path / "here").mkdir()
    (tmp_path / "here/.git").mkdir()
    (tmp_path / "there/.git").mkdir(parents=True)
    (tmp_path / "there/src").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def test_repository_around_the_folder_of_the_call_is_the_project(tmp_path):
    assert places.root_of_event({"cwd": str(tmp_path / "there/src")}) == tmp_path / "there"


def test_environment_of_the_agent_wins(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "/given")
    assert places.root_of_event({"cwd": str(tmp_path / "there")}) == Path("/given")


@pytest.mark.parametrize("cwd", [None, 3, "", "relative", "/a\0b"])
def test_call_without_a_usable_folder_belongs_to_the_current_one(tmp_path, cwd):
    assert places.root_of_event({"cwd": cwd}) == tmp_path / "here"


@pytest.mark.parametrize("cwd", ["/" + "x" * 5000, "/nowhere/at/all", "/\ud83d"])
def test_folder_that_cannot_be_looked_at_stands_for_itself_and_costs_no_call(cwd):
    taken = [
        recorder.record_report({"tool_name": "T", "error": "x", "cwd": cwd}, places.root_of_event({"cwd": cwd}))
        for _ in range(3)
    ]
    assert places.root_of_event({"cwd": cwd}) == Path(cwd)
    assert [each.row["call_index"] for each in taken] == [1, 2, 3]
    assert taken[-1].problem.startswith(".wink/trajectory/assessment.md: ")


def test_current_folder_that_is_gone_costs_no_call(tmp_path):
    (tmp_path / "gone").mkdir()
    os.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    given: dict[str, object] = {"tool_name": "T"}
    assert recorder.record_report(given, places.root_of_event(given)).row["call_index"] == 1
