"""`memory trajectory replay` and `config`, and the part of `memory sync` that is theirs."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from memorycli.delivery import observer_config, tool_calls
from memorycli.errors import CommandError
from memorycli.main import main
from memoryserver.client.http import UnreachableError
from tests.capture.local.rollout_files import Rollout
from tests.trajectory.local import twins
from trajectory.local import recorder
from trajectory.local.config import resolve


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
        "4 calls, 1 messages to the agent",
        "#3 told (caution) Repeated Call: The same `read` call was made 3 times, output identical, 1 characters.",
        "standing at the end: Repeated Call (caution)",
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
        "7 calls, 1 messages to the agent",
        "#7 told (caution) Repeated Call: The same `Bash` call was made 3 times, with the same error.",
    ]


def test_file_without_calls_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trajectory", "replay", str(lines(tmp_path / "x", {"a": 1}))]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["trajectory", "replay", str(tmp_path / "gone")]) == 1


class Server:
    """What the client would say: answers by path, and remembers what it was asked."""

    url = "http://server"

    def __init__(self, configuration: object, version: str = "v1") -> None:
        self.answer = {"version": version, "unchanged": False, "configuration": configuration}
        self.asked: list[Any] = []
        self.offline = False

    def get(self, path: str, params: Any = None) -> Any:
        self.asked.append(params)
        return {"version": "v1", "unchanged": True} if params["known"] == self.answer["version"] else self.answer

    def post(self, path: str, body: Any) -> Any:
        if self.offline:
            raise UnreachableError("away")
        return {"results": [{"id": one["id"], "status": "stored"} for one in body["calls"]]}


def test_configuration_is_fetched_once_and_used(capsys: pytest.CaptureFixture[str]) -> None:
    server: Any = Server({"observers": {"repeat_call": {"enabled": False}}})
    assert observer_config.refresh("shop", server) == "fetched version v1"
    assert observer_config.refresh("shop", server) == "unchanged since the last time"
    assert [params["known"] for params in server.asked] == [None, "v1"]
    assert main(["trajectory", "config"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("the server's configuration, version v1\n  Polling: after_repeats=10\n")
    assert "Repeated Call" not in said


def test_configuration_that_cannot_be_used_changes_nothing() -> None:
    server: Any = Server({"observers": {"nobody": {}}})
    with pytest.raises(CommandError, match="is not used: there is no observer 'nobody'"):
        observer_config.refresh("shop", server)
    assert resolve.cached("shop") == {}


def test_refresh_without_a_server_says_so_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trajectory", "config", "--refresh"]) == 1
    assert "not logged in" in capsys.readouterr().err


def test_sync_sends_calls_and_fetches_the_configuration(project: Path) -> None:
    server: Any = Server({"observers": {}})
    recorder.take({"tool_name": "T", "session_id": "s", "result": "x"}, project)
    report = tool_calls.part(argparse.Namespace(retry_refused=False), server)
    assert (report.line, report.complete, resolve.cached("shop")["version"]) == ("1 calls sent", True, "v1")


def test_sync_offline_is_a_report_and_no_error(project: Path) -> None:
    server: Any = Server({})
    server.offline = True
    recorder.take({"tool_name": "T", "session_id": "s", "result": "x"}, project)
    report = tool_calls.part(argparse.Namespace(retry_refused=False), server)
    assert (report.offline, report.complete) == (True, False)


def test_transcript_of_codex_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rollout = Rollout(tmp_path / "sessions")
    rollout.begin()
    rollout.person("go on")
    for n in range(3):
        rollout.ran(f"c{n}", "make", "Process exited with code 2\nOutput:\nno rule")
    said = replayed(capsys, rollout.path)
    assert said[:2] == [
        "3 calls, 1 messages to the agent",
        "#3 told (caution) Repeated Call: The same `exec_command` call was made 3 times, with the same error.",
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
    assert replayed(capsys, path)[:2] == [
        "3 calls, 1 messages to the agent",
        "#3 told (caution) Repeated Call: The same `run_shell_command` call was made 3 times, with the same error.",
    ]
