"""Entries of another session that is at work: `memory ghap` leaves them alone until they are adopted."""

from __future__ import annotations

import pytest

from memoryserver.client import ended_sessions
from tests.memorycli.commands.test_ghap import RESOLVE, START
from tests.support.laptops.laptop import Laptop
from trajectory.local import recorder


@pytest.mark.parametrize("variable", ["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"])
def test_agent_leaves_the_entry_of_another_session_at_work_alone_until_it_adopts_it(
    variable: str, memory: Laptop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "theirs")
    memory(*START)
    recorder.record_report({"tool_name": "Read", "session_id": "theirs"}, memory.project)
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    monkeypatch.setenv(variable, "mine")
    memory("session", "start")  # as another session's hook does, which makes the entry an orphan
    changes = (START, RESOLVE, ("ghap", "update", "--note", "n"))
    for words in (*changes, ("ghap", "abandon", "--reason", "r"), ("ghap", "abandon-orphan", "--reason", "r")):
        said = memory(*words)
        assert said.status == 1
        assert "is the entry of another session that is at work now, theirs, so nothing was changed" in said.err
    assert memory("ghap", "adopt").status == 0
    entry = memory(*RESOLVE, "--json").json()
    assert (entry["agent_session"], entry["earlier_agent_sessions"]) == ("mine", ["theirs"])


def test_entry_is_said_to_be_left_by_nobody_while_its_session_is_at_work(
    memory: Laptop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "theirs")
    memory(*START)
    recorder.record_report({"tool_name": "Read", "session_id": "theirs"}, memory.project)
    memory("session", "start")  # as another session's hook does
    assert "session left it" not in memory("ghap", "show").out
    assert "left by" not in memory("status", "--offline").out + memory("session", "show").out
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "mine")
    assert memory("ghap", "show").out.endswith("\nIt is the entry of a session that is at work now: theirs\n")
    ended_sessions.record("theirs")
    assert memory("ghap", "show").out.endswith(
        "An earlier session left it: memory ghap adopt, or memory ghap abandon-orphan --reason TEXT\n"
    )
