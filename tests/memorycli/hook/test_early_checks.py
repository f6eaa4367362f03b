"""A check decides only what it can show: something was changed before, and the check itself ran."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ghap.local import ConfidenceTier, OutcomeStatus
from tests.memorycli.hook.test_journal import CHECK, begin, current, on_journal, resolved
from tests.support.agents.hook_process import Agent, agent_in

EARLY = "The check of the GHAP entry {} ran before anything was changed, so it decided nothing"
NAME_ERROR = """F                                                                        [100%]
=================================== FAILURES ===================================
________________________________ test_cents ________________________________
    def test_cents():
>       assert parse("1") == Decimal("1")
E       NameError: name 'Decimal' is not defined
tests/test_cache.py:4: NameError
=========================== short test summary info ============================
FAILED tests/test_cache.py::test_cents - NameError: name 'Decimal' is not d...
1 failed in 0.11s"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    yield from agent_in(tmp_path, monkeypatch)


def outcomes(agent: Agent) -> list[tuple[str, ConfidenceTier | None]]:
    return [(one.outcome.status.value, one.confidence_tier) for one in resolved(agent) if one.outcome]


@pytest.mark.parametrize("status", [0, 1])
def test_check_before_any_change_decides_nothing_and_is_told_once(agent: Agent, status: int) -> None:
    entry = begin(agent)
    said = agent.ran(CHECK, "1 passed in 0.10s", status=status)
    assert said.startswith(EARLY.format(entry.id))
    assert "If that was the action, resolve the entry yourself: " in said
    assert [agent.ran(CHECK, "1 passed in 0.20s", status=status), agent.ran("cat a.py")] == ["", ""]
    assert (resolved(agent), current(agent)) == ([], entry)
    assert agent.edited() == ""
    assert "is resolved by its check" in agent.ran(CHECK, "1 passed in 0.30s", status=status)
    assert outcomes(agent) == [("falsified" if status else "confirmed", ConfidenceTier.GOLD)]


@pytest.mark.parametrize(
    "command",
    ["sed -i s/a/b/ app.py", "python manage.py migrate", "git checkout -- app.py", f"touch app.py && {CHECK}"],
)
def test_check_after_a_command_that_changes_something_decides(agent: Agent, command: str) -> None:
    begin(agent)
    agent.ran(command)
    agent.ran(CHECK)
    assert outcomes(agent) == [("confirmed", ConfidenceTier.GOLD)]


@pytest.mark.parametrize(
    "command", ["ls", "git diff", "pytest -q", "memory ghap update --note x", "python -c 'print(1)'"]
)
def test_check_after_commands_that_change_nothing_decides_nothing(agent: Agent, command: str) -> None:
    entry = begin(agent)
    agent.ran(command)
    assert agent.ran(CHECK).startswith(EARLY.format(entry.id))
    assert resolved(agent) == []


def test_changed_hypothesis_wants_a_change_of_its_own(agent: Agent) -> None:
    begin(agent)
    agent.edited()
    on_journal(agent, lambda journal: journal.update_ghap(note="seen"))
    on_journal(agent, lambda journal: journal.update_ghap(hypothesis="the clock"))
    assert "before anything was changed" in agent.ran(CHECK, "1 failed", status=1)
    agent.edited()
    agent.ran(CHECK)
    assert outcomes(agent) == [("confirmed", ConfidenceTier.GOLD)]


def test_edit_that_was_refused_is_no_change(agent: Agent) -> None:
    entry = begin(agent)
    call = {"tool_name": "Edit", "tool_use_id": "t1", "tool_input": {"file_path": str(agent.project / "a.py")}}
    assert agent.said("PostToolUseFailure", **call, error="String to replace not found in file.") == ""
    assert agent.ran(CHECK).startswith(EARLY.format(entry.id))


def test_change_by_a_sub_agent_is_one(agent: Agent) -> None:
    begin(agent)
    assert agent.edited(agent_id="a1") == ""
    agent.ran(CHECK)
    assert outcomes(agent) == [("confirmed", ConfidenceTier.GOLD)]


def test_new_test_that_fails_before_the_code_is_changed_decides_nothing(agent: Agent) -> None:
    entry = begin(agent)
    agent.edited("tests/test_cache.py")
    said = agent.ran(CHECK, "E       assert 1 == 2\n1 failed in 0.10s", status=1)
    assert said.startswith(f"The check of the GHAP entry {entry.id} ran when only tests were changed")
    agent.edited("src/cache.py")
    agent.ran(CHECK, "1 passed in 0.10s")
    assert outcomes(agent) == [("confirmed", ConfidenceTier.GOLD)]


def test_test_that_was_changed_and_passes_confirms(agent: Agent) -> None:
    begin(agent)
    agent.edited("tests/conftest.py")
    agent.ran(CHECK)
    assert outcomes(agent) == [("confirmed", ConfidenceTier.GOLD)]


def test_crash_of_the_check_decides_nothing_and_is_told_once_an_iteration(agent: Agent) -> None:
    entry = begin(agent)
    agent.edited()
    said = agent.ran(CHECK, NAME_ERROR, status=1)
    crashed = f"The check of the GHAP entry {entry.id} crashed (`NameError: name 'Decimal' is not defined`)"
    assert said.startswith(crashed + ", so it decided nothing.")
    assert agent.ran(CHECK, NAME_ERROR + " ", status=1) == ""
    on_journal(agent, lambda journal: journal.update_ghap(action="import it"))
    assert agent.ran(CHECK, NAME_ERROR + "  ", status=1).startswith(crashed)
    agent.edited()
    agent.ran(CHECK, "1 passed in 0.10s")
    assert outcomes(agent) == [("confirmed", ConfidenceTier.GOLD)]


def test_tests_that_cannot_be_collected_are_a_crash(agent: Agent) -> None:
    entry = begin(agent)
    agent.edited()
    said = agent.ran(CHECK, "E   ModuleNotFoundError: No module named 'x'\n1 error in 0.10s", status=2)
    assert said.startswith(
        f"The check of the GHAP entry {entry.id} crashed (`ModuleNotFoundError: No module named 'x'`)"
    )


def test_failure_beside_a_crash_falsifies(agent: Agent) -> None:
    begin(agent)
    agent.edited()
    agent.ran(CHECK, "E       assert 1 == 2\n" + NAME_ERROR, status=1)
    assert outcomes(agent) == [(OutcomeStatus.FALSIFIED.value, ConfidenceTier.GOLD)]
