"""`memory trajectory replay`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from memorycli.main import main
from tests.support.agents.codex_rollouts import Rollout
from tests.trajectory.local import twins


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMORYSERVER_PROJECT", "shop")
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    (tmp_path / "project/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def replayed(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> list[str]:
    assert main(["trajectory", "replay", str(path), *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_json_lines_of_calls_are_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = lines(tmp_path / "run.jsonl", *({"i": n, "tool": "read", "args": {"a": 1}, "result": "x"} for n in range(4)))
    said = replayed(capsys, path)
    assert said == [
        "4 calls, 1 message to the agent",
        "#3 told (caution) Repeated Call: The same `read` call was made 3 times, with the same output, 1 characters.",
        "open findings at the end: Repeated Call (caution)",
    ]


def test_what_is_only_written_is_shown_when_all_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lines(tmp_path / "run.jsonl", *(twins.bad(n) for n in range(3)))
    assert replayed(capsys, path, "--all")[1].startswith("#3 noted (info) Error Cascade Detector: ")


def transcript(*results: tuple[str, dict[str, Any], str, bool]) -> list[dict[str, Any]]:
    """A transcript of Claude Code in which these calls were made: tool, input, result, whether it failed."""
    rows: list[dict[str, Any]] = [{"type": "user", "message": {"role": "user", "content": "Go on."}}]
    for n, (tool, given, result, failed) in enumerate(results):
        use = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": given}
        came = {"type": "tool_result", "tool_use_id": f"t{n}", "content": result, "is_error": failed}
        rows += [
            {"type": "assistant", "uuid": f"a{n}", "message": {"role": "assistant", "id": f"m{n}", "content": [use]}},
            {"type": "user", "uuid": f"r{n}", "message": {"role": "user", "content": [came]}},
        ]
    return [row | {"sessionId": "s", "cwd": "/work", "timestamp": "2026-01-15T14:32:00Z"} for row in rows]


def test_transcript_is_replayed_with_all_arguments_and_outcomes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edits = [
        ("Edit", {"file_path": "/work/a.py", "old_string": f"v{n}", "new_string": "x"}, "done", False) for n in range(4)
    ]
    same = [("Bash", {"command": "make"}, "Exit code 2\nNo rule", True)] * 3
    said = replayed(capsys, lines(tmp_path / "s.jsonl", *transcript(*edits, *same)))
    assert said[:2] == [
        "7 calls, 1 message to the agent",
        "#7 told (caution) Repeated Call: The same `Bash` call failed 3 times with the same error: `No rule`.",
    ]


def test_file_without_calls_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trajectory", "replay", str(lines(tmp_path / "x", {"a": 1}))]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["trajectory", "replay", str(tmp_path / "gone")]) == 1


def test_folder_and_pattern_give_a_table_of_their_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "runs"
    (folder / "b").mkdir(parents=True)
    lines(folder / "a.jsonl", *[twins.read("a.py")] * 3)
    lines(folder / "b/c.jsonl", *(twins.read(f"{n}.py") for n in range(2)))
    lines(folder / "history.jsonl", twins.read("a.py"))
    (folder / "notes.txt").write_text("no run")
    said = [
        "run       calls  messages  first at",
        "a.jsonl       3         1        #3",
        "c.jsonl       2         0         -",
        "2 runs, 5 calls, 1 message to the agents",
    ]
    assert replayed(capsys, folder) == said
    assert replayed(capsys, folder / "**/[ac].jsonl") == said


def test_file_without_calls_among_others_is_named_and_the_others_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    lines(folder / "a.jsonl", twins.read("a.py"))
    empty = lines(folder / "b.jsonl", {"a": 1})
    assert main(["trajectory", "replay", str(folder)]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1:] == [
        "a.jsonl       1         0         -",
        "1 run, 1 call, 0 messages to the agents",
    ]
    assert captured.err == (
        f"memory: {empty} holds no tool calls that can be read: neither a transcript nor JSON lines of calls\n"
    )


def test_all_of_several_runs_shows_each_before_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = lines(tmp_path / "a.jsonl", twins.read("a.py"))
    second = lines(tmp_path / "b.jsonl", twins.read("b.py"))
    report = ["1 call, 0 messages to the agent", "open findings at the end: none", ""]
    said = replayed(capsys, first, str(second), "--all")
    assert said[:8] == [f"{first}:", *report, f"{second}:", *report]


def test_each_run_is_a_line_of_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = lines(tmp_path / "a.jsonl", *[twins.read("a.py")] * 3)
    second = lines(tmp_path / "b.jsonl", {"a": 1})
    looped, empty = map(json.loads, replayed(capsys, first, str(second), "--json"))
    (message,) = looped["messages"]
    (finding,) = message["findings"]
    assert (looped["run"], looped["calls"], message["at"], message["agent"]) == (str(first), 3, 3, "")
    assert (finding["observer"], finding["severity"], finding["calls"]) == ("Repeated Call", "caution", [1, 2, 3])
    assert [each["observer"] for each in looped["open"]] == ["Repeated Call"]
    assert finding["summary"] in message["text"]
    assert list(empty) == ["run", "problem"]


@pytest.mark.parametrize("name", ["gone", "gone/*.jsonl", "empty"])
def test_name_without_files_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["trajectory", "replay", str(tmp_path / name)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_sub_agents_of_one_file_have_trajectories_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = ("Bash", {"command": "cat a"}, "1", False)
    rows = transcript(same, same, same)
    for row in rows[3:5]:
        row.update({"isSidechain": True, "agentId": "a1"})
    assert replayed(capsys, lines(tmp_path / "s.jsonl", *rows)) == [
        "2 calls, 0 messages to the agent",
        "open findings at the end: none",
        "agent a1: 1 call, 0 messages to the agent",
        "open findings at the end: none",
    ]


def test_transcript_of_codex_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rollout = Rollout(tmp_path / "sessions")
    rollout.begin()
    rollout.person("go on")
    for n in range(3):
        rollout.ran(f"c{n}", "make", "Process exited with code 2\nOutput:\nno rule")
    said = replayed(capsys, rollout.path)
    assert said[:2] == [
        "3 calls, 1 message to the agent",
        "#3 told (caution) Repeated Call: The same `exec_command` call failed 3 times with the same error: `no rule`.",
    ]
    packed = rollout.path.with_name(f"{rollout.path.name}.zst")
    packed.write_bytes(zstandard.compress(rollout.path.read_bytes()))
    assert replayed(capsys, packed) == said


def test_transcript_that_nothing_here_can_decompress_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "rollout-x.jsonl.zst"
    packed.write_bytes(zstandard.compress(b"{}\n"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setenv("PATH", "")
    assert main(["trajectory", "replay", str(packed)]) == 1
    assert "pip install 'memoryserver[codex]'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["session-a.json", "session-a.jsonl"])
def test_transcript_of_gemini_is_replayed_also_where_calls_stand_there_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    answer = {"functionResponse": {"response": {"output": "no rule\nExit Code: 2"}}}
    calls = [
        {
            "id": f"c{n}",
            "name": "run_shell_command",
            "args": {"command": "make"},
            "status": "success",
            "result": [answer],
        }
        for n in range(3)
    ]
    messages = [{"id": f"m{n}", "type": "gemini", "content": "", "toolCalls": [call]} for n, call in enumerate(calls)]
    path = tmp_path / "chats" / name
    path.parent.mkdir()
    if name.endswith(".json"):
        path.write_text(json.dumps({"sessionId": "s", "projectHash": "x", "messages": messages}))
    else:
        lines(path, {"sessionId": "s", "projectHash": "x"}, *messages, *messages)
    said = replayed(capsys, path)
    assert said[0] == "3 calls, 1 message to the agent"
    assert said[1].endswith("`run_shell_command` call failed 3 times with the same error: `no rule Exit Code: 2`.")
