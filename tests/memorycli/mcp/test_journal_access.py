"""The journal's tools where several sessions work in one project."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryserver.client import agent_processes, ended_sessions, places
from tests.memorycli.mcp.test_journal_tools import ENTRY, id_in
from tests.support.agents.mcp_agent import Agent, on_laptop
from trajectory.local import recorder

OWNER = "99999999-aaaa"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(places.SESSION_VARIABLE, raising=False)
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def agent(project: Path, tmp_path: Path) -> Iterator[Agent]:
    """An agent beside another session, which has begun an entry a moment ago."""
    with on_laptop(project, tmp_path / "home") as agent:
        started = id_in(agent("start_ghap", **ENTRY))
        owned = json.dumps({"entry": started, "session": OWNER, "agent": "", "asked": 0})
        (project / ".claude/journal/.hook.json").write_text(owned)
        recorder.record_report({"tool_name": "Read", "session_id": OWNER, "tool_use_id": "t"}, project)
        agent_processes.record("mine")
        yield agent


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("start_ghap", ENTRY),
        ("update_ghap", {"note": "n"}),
        ("resolve_ghap", {"status": "falsified", "result": "r"}),
        ("abandon_ghap", {"reason": "r"}),
    ],
)
def test_act_on_the_entry_of_another_session_at_work_is_refused(
    agent: Agent, project: Path, tool: str, arguments: dict[str, str]
) -> None:
    before = (project / ".claude/journal/current_ghap.json").read_bytes()

    said = agent.refused(tool, **arguments)

    assert "(Stop the export from hanging) is the entry of another session that is at work now, 99999999-aaaa" in said
    assert said.endswith("if this one is yours or you are to go on with it, first: adopt_orphan")
    assert (project / ".claude/journal/current_ghap.json").read_bytes() == before
    assert "It is the entry of another session that is at work now: 99999999-aaaa." in agent("get_active_ghap")


def test_entry_that_was_adopted_from_a_session_at_work_keeps_both(agent: Agent, project: Path) -> None:
    adopted = id_in(agent("adopt_orphan"))
    said = agent("resolve_ghap", status="confirmed", result="r")

    entry = json.loads((project / ".claude/journal/session_entries.jsonl").read_bytes())
    assert said.startswith(f"Resolved {adopted} as confirmed.")
    assert (entry["agent_session"], entry["earlier_agent_sessions"]) == ("mine", [OWNER])


def test_entry_of_a_session_that_ended_is_anybodys_and_resolved_once(agent: Agent) -> None:
    ended_sessions.record(OWNER)
    assert agent("resolve_ghap", status="confirmed", result="r").startswith("Resolved")

    agent_processes.record("third")
    ended_sessions.record("mine")
    said = agent.refused("resolve_ghap", status="falsified", result="r2")

    assert said == "No GHAP entry is active. Begin one with start_ghap."
