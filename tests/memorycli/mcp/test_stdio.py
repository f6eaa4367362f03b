"""`memory mcp` as a process: its greeting, its project, and that it ends with its agent."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.mcp_agent import COMMAND, environment, on_laptop
from tests.support.laptops.laptop import Laptop

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
PATIENCE = 20.0
ENTRY = {name: name for name in ("goal", "hypothesis", "action", "prediction")}
ENTRY |= {"domain": "testing", "strategy": "read-the-error"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


@contextlib.contextmanager
def launched(project: Path, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        COMMAND,
        cwd=project,
        env=environment(project.parent / "home", **more),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE)
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def say(process: subprocess.Popen[bytes], message: dict[str, Any] | bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def heard(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_tools_are_listed_in_short_and_the_process_ends_with_its_standard_input(project: Path) -> None:
    with launched(project) as process:
        say(process, INITIALIZE)
        greeting = heard(process)["result"]
        say(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        say(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert process.stdout is not None
        line = process.stdout.readline()
        out, _ = process.communicate(timeout=PATIENCE)  # standard input is closed

    assert (process.returncode, out) == (0, b"")
    tools = {tool["name"]: tool for tool in json.loads(line)["result"]["tools"]}
    assert greeting["serverInfo"]["name"] == "memory"
    assert len(greeting["instructions"]) < 500
    assert len(line) < 9_500
    assert max(len(tool["description"]) for tool in tools.values()) < 200
    assert sorted(name for name, tool in tools.items() if tool["annotations"].get("readOnlyHint")) == [
        "get_active_ghap",
        "get_context",
        "get_memory",
        "list_ghap",
        "observation_query",
        "search_memory",
        "timeline",
        "trajectory_status",
    ]
    assert sorted(name for name, tool in tools.items() if not tool["annotations"].get("readOnlyHint")) == [
        "abandon_ghap",
        "adopt_orphan",
        "observation_append",
        "resolve_ghap",
        "start_ghap",
        "store_learning",
        "update_ghap",
    ]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_client_of_either_protocol_names_the_folder_it_works_in(project: Path, tmp_path: Path, mode: str) -> None:
    elsewhere = tmp_path / "else where ü"
    (elsewhere / "src").mkdir(parents=True)
    (elsewhere / ".git").mkdir()

    with on_laptop(project, tmp_path / "home", roots=[tmp_path / "gone", elsewhere / "src"], mode=mode) as agent:
        agent("start_ghap", **ENTRY)
        agent("update_ghap", note="again")

    assert (elsewhere / ".claude/journal/current_ghap.json").exists()
    assert not (project / ".claude").exists()


def test_project_folder_of_the_agent_is_taken_as_its_hooks_take_it(project: Path, tmp_path: Path) -> None:
    inside = project / "service"
    inside.mkdir()

    with on_laptop(tmp_path, tmp_path / "home", roots=[inside], CLAUDE_PROJECT_DIR=str(inside)) as agent:
        agent("start_ghap", **ENTRY)

    assert (project / ".claude/journal/current_ghap.json").exists()
    assert not (inside / ".claude").exists()


def test_process_ends_when_its_parent_is_gone_though_somebody_holds_standard_input(project: Path) -> None:
    starter = f"""
import subprocess, sys, time
child = subprocess.Popen({COMMAND!r}, stdin=0, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(60)
"""
    read, write = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", starter],
        cwd=project,
        env=environment(project.parent / "home"),
        stdin=read,
        stdout=subprocess.PIPE,
    )
    os.write(write, json.dumps(INITIALIZE).encode() + b"\n")
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())

    parent.send_signal(signal.SIGKILL)
    parent.communicate()

    until(lambda: not _runs(pid))
    os.close(read)
    os.close(write)


def test_process_ends_when_nobody_reads_what_it_says(project: Path) -> None:
    with launched(project) as process:
        assert process.stdout is not None
        process.stdout.close()
        say(process, INITIALIZE)

        assert process.wait(PATIENCE) == 0


def test_interrupt_ends_the_process_at_once(project: Path) -> None:
    with launched(project) as process:
        say(process, INITIALIZE)
        heard(process)
        process.send_signal(signal.SIGINT)

        assert process.wait(PATIENCE) == 130


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_nonsense_on_standard_input_is_survived_and_never_echoed_as_protocol(project: Path) -> None:
    with launched(project) as process:
        say(process, INITIALIZE)
        heard(process)
        say(
            process,
            b"\xff\xfe not json\n{\n" + b'{"jsonrpc": "2.0", "id": 7, "method": "no/such"}\n' + b"[" * 3000 + b"\n",
        )
        say(process, {"jsonrpc": "2.0", "id": 8, "method": "ping"})

        answers = [heard(process)]
        while answers[-1].get("id") != 8:
            answers.append(heard(process))

    assert [answer["jsonrpc"] for answer in answers] == ["2.0"] * len(answers)
    assert [answer["error"]["code"] for answer in answers if answer.get("id") == 7] == [-32601]


def test_without_standard_input_one_line_says_so(project: Path) -> None:
    command = shlex.join(COMMAND) + " <&-"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=project,
        env=environment(project.parent / "home"),
        capture_output=True,
        text=True,
        check=False,
    )

    said = "memory: memory mcp needs standard input and output, and one of them is closed\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_home_that_cannot_be_written_leaves_the_journal_usable(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with on_laptop(project, tmp_path / "file") as agent:
        agent("start_ghap", **ENTRY)
        said = agent.refused("observation_append", type="t.x", message="m")

    assert said.startswith("the observation could not be saved: ")


def test_hook_never_loads_the_sdk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = Laptop(tmp_path, monkeypatch, capsys)
    loaded = "[name for name in sys.modules if name.startswith(('mcp', 'pydantic'))]"
    program = f"import atexit, sys; atexit.register(lambda: print({loaded}))"

    said = memory.process("hook", program=program, stdin=b'{"hook_event_name": "Notification"}')

    assert (said.status, said.out) == (0, "[]\n")
