"""Several agents in one project: an entry is the business of the one that is at work on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memorycli.hook import ownership
from tests.memorycli.hook.test_journal import begin, current
from tests.support.agents.hook_process import Agent, agent_in
from trajectory.local import store

CHECK = "pytest tests/test_x.py"
BEGIN = f"memory ghap start --check '{CHECK}'"


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    yield from agent_in(tmp_path, monkeypatch)


@pytest.fixture
def owner(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """An agent that has begun an entry with a check."""
    monkeypatch.setenv("MEMORYSERVER_CHECK_IN_CALLS", "3")
    begin(agent, check=CHECK)
    assert agent.ran(BEGIN) == ""
    return agent


@pytest.fixture
def other(owner: Agent, tmp_path: Path) -> Agent:
    return Agent(tmp_path, "another session")


def let_time_pass(owner: Agent) -> None:
    """The owner's last call was longer ago than a session that lives is silent."""
    (calls,) = [path for path in store.trajectory(owner.session_id).folder.iterdir() if path.suffix == ".jsonl"]
    then = os.stat(calls).st_mtime - ownership.LIVE_SECONDS - 1
    os.utime(calls, (then, then))


def test_other_session_is_told_nothing_of_an_entry_that_is_worked_on(owner: Agent, other: Agent) -> None:
    assert other.said("SessionStart", source="startup") == ""
    assert [other.ran(f"ls {number}") for number in range(5)] == [""] * 5
    assert "GHAP" not in other.said("SessionStart", source="compact")


def test_others_run_of_the_check_decides_nothing(owner: Agent, other: Agent) -> None:
    assert owner.edited() == ""
    assert other.ran(CHECK, "1 failed", status=1) == ""
    assert current(owner) is not None
    assert "is resolved by its check: confirmed" in owner.ran(CHECK)


def test_others_change_is_none_of_the_owners(owner: Agent, other: Agent) -> None:
    other.edited()
    assert "before anything was changed" in owner.ran(CHECK)


def test_others_calls_do_not_hasten_the_owners_question(owner: Agent, other: Agent) -> None:
    other.ran("ls 1")
    other.ran("ls 2")
    assert [owner.ran("ls 3"), owner.ran("ls 4")] == ["", ""]  # the call that began the entry does not count
    assert "check-in" in owner.ran("ls 5")


@pytest.mark.parametrize("gone", ["ended", "silent"])
def test_entry_whose_session_is_gone_is_offered_and_asked_about(owner: Agent, other: Agent, gone: str) -> None:
    if gone == "ended":
        owner.said("SessionEnd", reason="other")
    else:
        let_time_pass(owner)
    assert "An earlier session left the GHAP entry" in other.said("SessionStart", source="startup")
    assert [other.ran("ls 1"), other.ran("ls 2")] == ["", ""]
    assert "check-in" in other.ran("ls 3")


def test_session_that_adopts_an_entry_has_it(owner: Agent, other: Agent) -> None:
    assert other.ran("memory ghap adopt") == ""
    assert owner.ran(CHECK) == ""
    assert "is resolved by its check: confirmed" in other.ran(f"touch a.py && {CHECK}")


@pytest.mark.parametrize("command", [BEGIN, "memory ghap adopt"])
def test_session_that_failed_to_record_has_nothing(owner: Agent, other: Agent, command: str) -> None:
    assert owner.edited() == ""
    assert other.ran(command, "memory: an entry is active", status=1) == ""
    assert other.ran(CHECK) == ""
    assert "is resolved by its check: confirmed" in owner.ran(CHECK)


def test_entry_that_a_person_began_is_everybodys(agent: Agent, tmp_path: Path) -> None:
    begin(agent, check=CHECK)
    assert agent.edited() == ""
    assert "is resolved by its check: confirmed" in Agent(tmp_path, "another session").ran(CHECK)
