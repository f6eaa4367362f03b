"""`trajectory_status`, called by the SDK's client on a real process."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryserver.client import agent_processes
from tests.support.agents.mcp_agent import on_laptop
from trajectory.local import recorder, store


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


def test_status_is_of_the_callers_session_and_asks_which_where_several_work(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    with on_laptop(project, tmp_path / "home") as agent:
        none = agent.refused("trajectory_status")
        _make_calls(project, "session-1", failing=12)
        worried = agent("trajectory_status")
        _make_calls(project, "session-2", failing=0)
        asked = agent.refused("trajectory_status")
        fine = agent("trajectory_status", session_id="session-2")
        agent_processes.record("session-1")
        mine = agent("trajectory_status")
        again = agent("trajectory_status", session_id="session-1")

    assert none == "No tool calls are recorded in this project yet; the hooks record them."
    assert asked == (
        "2 sessions are at work in this project, and which is yours is not known; name it as session_id: "
        "session-1, session-2"
    )
    assert worried.startswith("Session session-1 (yours): 12 calls, the last ")
    assert mine == worried
    assert [line for line in worried.splitlines()[1:] if not line.startswith("|")] == []
    assert fine.endswith("No open findings: the observers found no problem in the recent calls.")
    assert again == worried.replace(" (yours)", "")


def _make_calls(project: Path, session: str, *, failing: int) -> None:
    call: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "make test"}, "session_id": session}
    call |= {"success": not failing, "error": "Exit code 2\nmake: *** [test] Error 1" if failing else None}
    for number in range(failing or 1):
        recorder.record_report(call | {"tool_use_id": f"t{number}"}, project)


def test_unknown_session_and_unreadable_calls_are_sentences(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    _make_calls(project, "session-1", failing=0)
    [trajectory] = store.all_trajectories()

    with on_laptop(project, tmp_path / "home") as agent:
        unknown = agent.refused("trajectory_status", session_id="session-9")
        (trajectory.folder / "calls.jsonl").write_text("{\n")
        unreadable = agent.refused("trajectory_status")

    assert unknown == "No tool calls are recorded for that session; the hooks record them."
    assert unreadable == "the recorded calls cannot be read; ask the user to run: memory trajectory clear"
