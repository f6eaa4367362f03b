"""What else can be wrong on a laptop: a hook that hangs, a disk that is full, a home that cannot be written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE

import pytest

from memorycli.hook import command as hook_command
from memoryserver.client.ended_sessions import EndedSessions
from tests.memorycli.hook.test_journal import begin
from tests.support.agents.hook_process import Agent, agent_in

# The hook with something of it replaced, as the file that agents run would start it.
_WITH = "import sys; sys.path.insert(0, {root!r}); from memorycli.hook import events; {change}; events.run()"
ROOT = str(Path(__file__).resolve().parents[3])


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    yield from agent_in(tmp_path, monkeypatch)


def changed(change: str) -> list[str]:
    return [sys.executable, "-I", "-c", _WITH.format(root=ROOT, change=change)]


def run(command: list[str], event: dict[str, object], **options: object) -> tuple[int, bytes, bytes, float]:
    start = time.monotonic()
    done = subprocess.run(command, input=json.dumps(event).encode(), capture_output=True, check=False, **options)  # type: ignore[call-overload]
    return done.returncode, done.stdout, done.stderr, time.monotonic() - start


@pytest.mark.parametrize("hanging", ["time.sleep(600)", "re.match('(a+)+b', 'a' * 40)", "open(pipe).read()"])
def test_hook_that_hangs_ends_within_its_limit(agent: Agent, hanging: str) -> None:
    pipe = agent.project / "pipe"
    os.mkfifo(pipe)
    change = (
        f"import re, time; pipe = {str(pipe)!r}; events.LIMIT_SECONDS = 1.0; events.answer_to = lambda *_: {hanging}"
    )
    status, out, err, seconds = run(changed(change), agent.event("Stop"))
    assert (status, out, err) == (0, b"", b"")
    assert seconds < 60
    assert "gave up: the time limit of the hook was reached" in agent.log()
    (agent.home / "logs/hook.log").unlink()


def test_end_of_a_session_has_less_time_than_the_agent_gives_it_and_is_recorded_first(agent: Agent) -> None:
    change = "import time; from memorycli.hook import session; session._leave = lambda *_: time.sleep(600)"
    status, out, err, seconds = run(changed(change), agent.event("SessionEnd"))
    assert (status, out, err) == (0, b"", b"")
    assert seconds < 60
    assert "gave up" in agent.log()
    assert EndedSessions().end_of(agent.session_id) is not None
    (agent.home / "logs/hook.log").unlink()


def test_slow_observer_is_cut_off_and_the_limit_of_the_hook_goes_on(agent: Agent) -> None:
    change = (
        "import time, signal; from trajectory.local.observers import repeat_call as r; left = []; "
        "r.RepeatCall.observe = lambda *_, **__: time.sleep(600); answer = events.answer_to; "
        "events.answer_to = lambda *a: (answer(*a), events.os.write(2, str(signal.getitimer(0)[0] > 1).encode()))[0]"
    )
    call = {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "Exit code 2\nboom"}
    for number in range(2):
        agent.process(agent.event("PostToolUseFailure", **call, tool_use_id=f"t{number}"))
    status, _, err, _ = run(changed(change), agent.event("PostToolUseFailure", **call, tool_use_id="t9"))
    assert (status, err) == (0, b"True")
    assert "observer Repeated Call: OverBudgetError: took longer than 0.5 s" in agent.log()
    (agent.home / "logs/hook.log").unlink()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_disk_that_is_full_for_the_answer_is_borne_with(agent: Agent) -> None:
    begin(agent)
    environment = os.environ | {"MEMORYSERVER_CHECK_IN_CALLS": "1"}
    event = json.dumps(agent.event("PostToolUse", tool_name="Bash", tool_response="x")).encode()
    with open("/dev/full", "wb") as full:
        done = subprocess.run(hook_command.argv(), input=event, stdout=full, stderr=PIPE, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "No space left" in agent.log()
    (agent.home / "logs/hook.log").unlink()


def test_files_that_may_not_grow_cost_the_record_and_nothing_else(agent: Agent) -> None:
    entry = begin(agent)
    limited = ["sh", "-c", 'ulimit -f 0; trap "" XFSZ; exec "$@"', "sh", *hook_command.argv()]
    for name in ("PostToolUse", "SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"):
        status, out, err, _ = run(limited, agent.event(name, tool_name="Bash", tool_response="x", prompt="src/a.py"))
        assert (status, err) == (0, b"")
        assert out == b"" or json.loads(out) is not None
    assert json.loads((agent.journal / "current_ghap.json").read_bytes())["id"] == entry.id


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "tr_TR.ISO-8859-9", "LANG": "C"},
        {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"},
        {"PYTHONPATH": "hostile", "PYTHONSTARTUP": "hostile/json.py", "PYTHONHOME": "/nonexistent"},
        {"HOME": "/nonexistent", "PATH": "/nonexistent", "TMPDIR": "/nonexistent"},
        {"MEMORYSERVER_CHECK_IN_CALLS": "x", "MEMORYSERVER_CONTEXT_CHARS": "-1"},
    ],
)
def test_environment_of_the_agent_is_borne_with(agent: Agent, environment: dict[str, str]) -> None:
    hostile = agent.project / "hostile"
    hostile.mkdir()
    for name in ("json", "re", "os", "site", "sitecustomize", "memoryserver", "trajectory", "ghap"):
        for folder in (hostile, agent.project):  # the folder that the agent is in is no place for imports
            (folder / f"{name}.py").write_text("raise SystemExit('hijacked')")
    call = agent.event("PostToolUseFailure", tool_name="Bash", tool_input={"command": "ü"}, error="Exit code 2\nü")
    for number in range(3):
        given = call | {"tool_use_id": f"t{number}"}
        status, out, err, _ = run(hook_command.argv(), given, env=os.environ | environment, cwd=agent.project)
        assert (status, err) == (0, b"")
    assert "failed 3 times" in json.loads(out)["hookSpecificOutput"]["additionalContext"]


def test_project_folder_that_is_gone_costs_the_file_and_not_the_answer(agent: Agent) -> None:
    call = agent.event("PostToolUseFailure", tool_name="Bash", tool_input={"command": "x"}, error="Exit code 2\nx")
    for number in range(3):
        given = call | {"tool_use_id": f"t{number}"}
        gone = os.environ | {"CLAUDE_PROJECT_DIR": str(agent.project.parent / "gone")}
        status, out, err, _ = run(hook_command.argv(), given, env=gone)
        assert (status, err) == (0, b"")
    assert b"failed 3 times" in out
    assert "gone does not exist" in agent.log()
    (agent.home / "logs/hook.log").unlink()


def test_event_beyond_all_bounds_is_let_go(agent: Agent) -> None:
    data = b'{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": "' + b"x" * (33 << 20) + b'"}'
    done = agent.process(data)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "more than 33554432 bytes came on standard input" in agent.log()
    (agent.home / "logs/hook.log").unlink()
