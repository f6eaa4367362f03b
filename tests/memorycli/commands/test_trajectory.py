"""`memory trajectory`: record, show, clear."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import pytest

from memorycli.main import main
from trajectory.local import store

FILE = ".wink/trajectory/assessment.md"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_PROJECT_DIR", "MEMORYSERVER_TRAJECTORY_DIR", "CLAUDE_CODE_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "project/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def memory(monkeypatch, capsys):
    """`memory(words, call)` is the status, the output and the errors of `memory trajectory ...`."""

    def run(*words: str, call: object = None) -> tuple[int, str, str]:
        data = call if isinstance(call, bytes) else json.dumps(call).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        status = main(["trajectory", *words])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def call(**fields: Any) -> dict[str, Any]:
    return {"tool_name": "Edit", "tool_input": {"file_path": "src/a.py"}, "session_id": "s"} | fields


def failure(**fields: Any) -> dict[str, Any]:
    return call(success=False, error="String to replace not found") | fields


def last(session: str) -> dict[str, Any]:
    return store.trajectory(session).tail(1)[0]


def test_calls_in_a_folder_that_is_not_utf8_are_those_of_its_project(memory, tmp_path, monkeypatch):
    (tmp_path / "caf\udce9/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "caf\udce9")

    memory("record", call=call(success=True, cwd=str(tmp_path / "caf\ufffd")))

    assert memory("show")[1].startswith("session s")


def test_plain_call_is_recorded(memory):
    assert memory("record", call=call(success=True, timestamp="2026-01-15T14:32:00Z")) == (0, "", "")
    row = last("s")
    assert [row[key] for key in ("call_index", "tool_name", "params_summary", "success", "timestamp")] == [
        1,
        "Edit",
        "path=src/a.py",
        True,
        "2026-01-15T14:32:00Z",
    ]


def test_hook_event_is_recorded_as_the_hook_would(memory):
    event = {"hook_event_name": "PostToolUseFailure", "error": "Exit code 2\nno", "tool_name": "Bash"}
    memory("record", call=event | {"session_id": "s", "tool_input": {"command": "make"}})
    assert last("s")["outcome"] == "error"


def test_call_without_a_session_goes_to_the_default_one(memory):
    memory("record", call={"tool_name": "T"})
    assert last("default")["call_index"] == 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "memory: standard input is not JSON: "),
        (b"", "memory: standard input is not JSON: "),
        (b"[]", "memory: a tool call is a JSON object, this is a list\n"),
        (b"{}", "memory: a tool call needs its tool_name, "),
        (b'{"tool_name": "T", "success": 1}', "memory: success must be true or false, not 1\n"),
    ],
)
def test_bad_call_is_refused_in_one_line_and_costs_nothing_recorded(memory, data, said):
    memory("record", call=call())
    status, out, err = memory("record", call=data)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(said)
    assert last("s")["call_index"] == 1


def test_three_failures_are_shown_with_their_calls(memory):
    for n in range(3):
        memory("record", call=failure(timestamp=f"2026-01-15T14:32:0{n}Z"))
    status, out, err = memory("show", "--calls", "2")
    lines = out.split("\n")
    assert (status, err) == (0, "")
    assert lines[:6] == [
        "session s: 3 calls, the last at 2026-01-15 14:32:02 UTC; worst finding: caution",
        "#2 error: Edit(path=src/a.py) - String to replace not found",
        "#3 error: Edit(path=src/a.py) - String to replace not found",
        "",
        "# Trajectory Assessment",
        "",
    ]
    assert "The same `Edit` call failed 3 times with the same error: `String to replace not found`." in lines


def test_show_after_recovery_says_that_nothing_stands(memory):
    for each in (failure(), failure(), failure(), call()):
        memory("record", call=each)
    assert memory("show")[1].endswith("\nNo open findings. Observer runs so far: 2.\n")


def test_show_takes_the_project_s_last_session_or_the_named_one(memory, tmp_path, monkeypatch):
    memory("record", call=call(session_id="one"))
    memory("record", call=call(session_id="two", agent_id="sub"))
    (tmp_path / "other").mkdir()
    assert memory("show")[1].startswith("session two, agent sub: 1 call,")
    assert memory("show", "--session", "one")[1].startswith("session one: 1 call,")
    monkeypatch.chdir(tmp_path / "other")
    assert memory("show") == (0, "No tool calls are recorded for this project yet.\n", "")


@pytest.mark.parametrize("action", ["show", "clear"])
def test_session_without_calls_is_a_clear_error(memory, action):
    assert memory(action, "--session", "x\ny", "--agent", "z") == (
        1,
        "",
        "memory: no tool calls are recorded for session x y, agent z; `memory trajectory show` finds the last\n",
    )


def test_clear_forgets_the_calls_and_takes_the_warning_out(memory, project):
    for _ in range(3):
        memory("record", call=failure())
    assert (project / FILE).read_text() != ""
    assert memory("clear") == (0, "forgot session s\n", "")
    assert (project / FILE).read_text() == ""
    assert memory("clear") == (0, "No tool calls are recorded for this project.\n", "")
    memory("record", call=call())
    assert last("s")["call_index"] == 1


def test_clear_all_forgets_every_session(memory):
    for name in ("one", "two"):
        memory("record", call=call(session_id=name))
    assert sorted(memory("clear", "--all")[1].splitlines()) == ["forgot session one", "forgot session two"]
    assert store.all_trajectories() == []


def test_assessment_that_cannot_be_written_is_said_and_the_call_kept(memory, project):
    (project / ".wink").write_text("a file in the way")
    for _ in range(2):
        memory("record", call=failure())
    status, out, err = memory("record", call=failure())
    assert (status, "The same `Edit` call failed 3 times" in out.splitlines()[0]) == (0, True)
    assert err.startswith(f"memory: {FILE}: ")
    assert last("s")["call_index"] == 3


def test_eight_processes_recording_at_once_lose_no_call():
    command = [sys.executable, "-m", "memorycli", "trajectory", "record"]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(8)]
    for n, process in enumerate(processes):
        assert process.stdin
        process.stdin.write(json.dumps(call(tool_use_id=str(n))).encode())
        process.stdin.close()
    assert [process.wait() for process in processes] == [0] * 8
    rows = store.trajectory("s").tail(99)
    assert [row["call_index"] for row in rows] == list(range(1, 9))
    assert {row["tool_use_id"] for row in rows} == set("01234567")
