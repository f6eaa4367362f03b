"""The laptop's commands and hooks where only the standard library can be imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.memorycli.commands.test_ghap import RESOLVE, START
from tests.support.laptops.laptop import SETTINGS

COMMAND = "from memorycli.main import main; raise SystemExit(main(sys.argv[1:]))"
HOOK = "import runpy; runpy.run_module('memorycli.hook', run_name='__main__')"
MCP_MODULES = ("mcp", "mcp_types", "anyio")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


def started(
    project: Path, program: str, *words: str, without: tuple[str, ...] = ("aiofiles",)
) -> subprocess.Popen[bytes]:
    """`program` in a process in which importing any of the modules `without` raises ImportError."""
    blocked = "; ".join(f"sys.modules[{name!r}] = None" for name in without)
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    environment |= {"MEMORYSERVER_HOME": str(project.parent / "home"), "PYTHONPATH": os.getcwd()}
    return subprocess.Popen(
        [sys.executable, "-c", f"import sys; {blocked}; {program}", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=project,
        env=environment,
    )


def run(
    project: Path, program: str, *words: str, stdin: bytes = b"", without: tuple[str, ...] = ("aiofiles",)
) -> subprocess.CompletedProcess[bytes]:
    """`program`, as `started` starts it, from beginning to end."""
    with started(project, program, *words, without=without) as process:
        out, err = process.communicate(stdin, timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def command(project: Path, *words: str) -> str:
    process = run(project, COMMAND, *words, without=("aiofiles", "asyncio", *MCP_MODULES))
    assert (process.returncode, process.stderr) == (0, b"")
    return process.stdout.decode()


def test_rules_of_the_extraction_are_not_loaded_by_commands_that_extract_nothing(project: Path) -> None:
    """They are a third of the start of `memory mcp`."""
    capturing = ("capture", "capturing.capture_queue", "capturing.capture_service")
    modules = (*capturing, "doctor", "learnings.learn", "status", "sync")
    names = ", ".join(("memorycli.mcp.serving", *(f"memorycli.commands.{name}" for name in modules)))

    done = run(project, f"import {names}", without=("capture.local.extraction.extractor",))

    assert (done.returncode, done.stderr) == (0, b"")


def hook(project: Path, name: str, **fields: Any) -> str:
    event = {"session_id": "s", "cwd": str(project), "hook_event_name": name} | fields
    process = run(project, HOOK, stdin=json.dumps(event).encode(), without=("aiofiles", "asyncio", *MCP_MODULES))
    assert (process.returncode, process.stderr) == (0, b"")
    return process.stdout.decode()


def test_journal_commands_need_neither_aiofiles_nor_an_event_loop(project: Path) -> None:
    assert command(project, "session", "start").startswith("started session_")
    assert command(project, *START).startswith("started ghap_")
    assert command(project, "ghap", "update", "--note", "n").startswith("updated ghap_")
    assert "Fix the cache" in command(project, "ghap", "show")
    assert command(project, *RESOLVE).endswith(": confirmed\n")
    assert command(project, "ghap", "amend", "--surprise", "s").startswith("amended ghap_")
    assert len(json.loads(command(project, "ghap", "list", "--json"))) == 1
    assert json.loads(command(project, "session", "show", "--json"))["entries"] == 1
    assert "entries: 1" in command(project, "session", "end")


def test_hooks_that_start_sessions_and_resolve_entries_need_neither_aiofiles_nor_an_event_loop(project: Path) -> None:
    command(project, *START, "--check", "make test")
    assert "ghap_" in hook(project, "SessionStart", source="startup")
    command(project, "ghap", "adopt")
    call = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "make test"}}
    response = {"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False}
    change = {"tool_name": "Bash", "tool_use_id": "t0", "tool_input": {"command": "touch cache.py"}}
    hook(project, "PostToolUse", **change, tool_response=response)
    assert "confirmed" in hook(project, "PostToolUse", **call, tool_response=response)
    hook(project, "SessionEnd", reason="exit")
    (entry,) = json.loads(command(project, "ghap", "list", "--all", "--json"))
    assert (entry["outcome"]["status"], entry["confidence_tier"]) == ("confirmed", "gold")
    log = project.parent / "home/logs/hook.log"
    assert not log.exists() or log.read_text() == ""


def test_mcp_server_needs_no_aiofiles(project: Path) -> None:
    words = {
        "domain": "testing",
        "strategy": "ask-user",
        **dict.fromkeys(("goal", "hypothesis", "action", "prediction"), "x"),
    }
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "start_ghap", "arguments": words}},
    ]
    answers = []
    with started(project, COMMAND, "mcp") as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for message in messages:
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            if "id" in message:
                answers.append(json.loads(server.stdout.readline()))
        server.stdin.close()
    assert "Started ghap_" in answers[1]["result"]["content"][0]["text"]
    assert json.loads(command(project, "ghap", "show", "--json"))["goal"] == "x"


def test_collector_alone_asks_for_aiofiles(project: Path) -> None:
    process = run(project, "from ghap.local import GHAPEntry, Journal; from ghap.local import ObservationCollector")
    assert process.returncode == 1
    assert b"aiofiles" in process.stderr.splitlines()[-1]
