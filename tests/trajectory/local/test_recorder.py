"""Which project a call belongs to, and which calls are recorded with it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memoryserver.client import places
from trajectory.local import recorder, store


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


def test_calls_that_were_refused_are_recorded_with_the_next_call_and_reported(tmp_path):
    lines = []
    for n in range(3):
        use = {"type": "tool_use", "id": f"w{n}", "name": "Write", "input": {"file_path": f"{n}.py", "content": "x"}}
        error = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
        answer = {"type": "tool_result", "tool_use_id": f"w{n}", "content": error, "is_error": True}
        lines += [
            {"type": "assistant", "message": {"id": f"m{n}", "content": [use]}},
            {"type": "user", "message": {"content": [answer]}},
        ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    event: dict[str, object] = {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "transcript_path": str(path),
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "0.py"},
        "tool_use_id": "b",
    }
    recorded = recorder.record_report(event, tmp_path / "here")
    rows = recorded.trajectory.tail(9)
    assert [(row["tool_use_id"], row["outcome"], row["streak"]) for row in rows] == [
        ("w0", "error", 1),
        ("w1", "error", 2),
        ("w2", "error", 3),
        ("b", "ok", 0),
    ]
    assert "File has not been read yet" in recorded.tell


def test_refused_call_is_recorded_once(tmp_path):
    use = {"type": "tool_use", "id": "w", "name": "Write", "input": {"file_path": "a.py"}}
    answer = {"type": "tool_result", "tool_use_id": "w", "content": "<tool_use_error>x</tool_use_error>", "is_error": 1}
    path = tmp_path / "s.jsonl"
    lines = [
        {"type": "assistant", "message": {"id": "m", "content": [use]}},
        {"type": "user", "message": {"content": [answer]}},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for n in range(2):
        event: dict[str, object] = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_use_id": f"r{n}"}
        event |= {"transcript_path": str(path), "tool_name": "Read"}
        recorded = recorder.record_report(event, tmp_path / "here")
    assert [row["tool_use_id"] for row in recorded.trajectory.tail(9)] == ["w", "r0", "r1"]


def test_trajectory_of_a_sub_agent_is_titled_by_its_type(tmp_path):
    call: dict[str, object] = {"tool_name": "Read", "session_id": "s", "agent_type": "Explore"}
    recorder.record_report(call | {"agent_id": "a1"}, tmp_path)
    recorder.record_report(call | {"agent_id": "a1", "agent_type": "other"}, tmp_path)
    recorder.record_report(call, tmp_path)
    assert store.trajectory("s", "a1").state()["title"] == "Explore"
    assert "title" not in store.trajectory("s").state()
