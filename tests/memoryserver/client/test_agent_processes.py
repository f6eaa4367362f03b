"""Which session the process belongs to that started this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memoryserver.client import agent_processes, ended_sessions
from memoryserver.client.ended_sessions import EndedSessions
from tests.support.agents.agents import another_agent

_SERVER = "from memoryserver.client import agent_processes as a; print(list(a.sessions_here()), a.sessions_elsewhere())"
# An agent: its hook runs behind a shell, its server does not.
_AGENT = f"""
import subprocess, sys
record = "from memoryserver.client import agent_processes; agent_processes.record('mine')"
subprocess.run(["sh", "-c", '"$0" -c "$1"; true', sys.executable, record], check=True)
sys.exit(subprocess.run([sys.executable, "-c", {_SERVER!r}]).returncode)
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_server_finds_the_session_of_its_agent_beside_another(home: Path) -> None:
    with another_agent("theirs") as pid:
        said = subprocess.run([sys.executable, "-c", _AGENT], capture_output=True, text=True, check=True).stdout
        recorded = [path.name.partition("-")[0] for path in (home / "processes").iterdir()]
        assert (str(pid) in recorded, len(set(recorded))) == (True, 2)
    assert said == "['mine'] {'theirs'}\n"
    assert agent_processes.sessions_elsewhere() == set()  # both are gone


def test_ended_sessions_and_used_up_numbers_are_left_out(home: Path) -> None:
    for session in ("one", "two"):
        agent_processes.record(session)
    assert set(agent_processes.sessions_here()) == {"one", "two"}
    ended_sessions.record("one")
    assert set(agent_processes.sessions_here()) == {"two"}
    agent_processes.record("one")
    assert set(agent_processes.sessions_here()) == {"one", "two"}
    for path in (home / "processes").iterdir():
        path.write_text(json.dumps(json.loads(path.read_bytes()) | {"birth": "0"}))
    assert agent_processes.sessions_here() == {}


def test_session_whose_process_is_gone_has_ended(home: Path) -> None:
    with another_agent("killed", hooks=2), another_agent("once", hooks=1):
        assert agent_processes.record_ends() == []
    assert agent_processes.record_ends() == ["killed"]  # the process of "once" may have been another than the agent's
    assert EndedSessions().end_of("killed") is not None
    assert agent_processes.record_ends() == []


def test_session_that_goes_on_in_another_process_has_not_ended(home: Path) -> None:
    with another_agent("resumed", hooks=2):
        pass
    with another_agent("resumed", hooks=1):
        assert agent_processes.record_ends() == []


def test_process_of_another_namespace_is_not_judged(home: Path) -> None:
    with another_agent("in a container", hooks=2):
        pass
    for path in (home / "processes").iterdir():
        path.write_text(json.dumps(json.loads(path.read_bytes()) | {"namespace": "pid:[1]"}))
    assert agent_processes.record_ends() == []


def test_foreign_files_are_passed_over_and_the_folder_is_bounded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_processes, "MAX_FILES", 3)
    (home / "processes").mkdir(parents=True)
    (home / "processes" / "notes.txt").write_text("x")
    (home / "processes" / f"{os.getppid()}-x").write_text("{")
    for number in range(6):
        agent_processes.record(f"s{number}")
    assert "s5" in agent_processes.sessions_here()
    assert len(list((home / "processes").iterdir())) <= 4
    assert agent_processes.sessions_elsewhere() == set()


def test_nothing_is_recorded_for_no_session(home: Path) -> None:
    agent_processes.record("")
    assert not (home / "processes").exists()
