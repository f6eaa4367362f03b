"""A finished tool call in this process: it is recorded, counted for the journal, and the two fail apart."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from memorycli.hook import session
from memorycli.hook.tool_call import after_tool
from memoryserver.common.hook_event import HookEvent
from tests.support.laptops.laptop import Laptop
from tests.support.laptops.repositories import repository, worktree
from trajectory.local import store
from trajectory.local.calls.parse import CallError


def event(memory: Laptop, number: int = 1, **fields: object) -> HookEvent:
    raw: dict[str, object] = {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "cwd": str(memory.project),
        "tool_use_id": f"t{number}",
        "tool_name": "Bash",
        "tool_input": {"command": "make"},
    }
    return HookEvent(raw | fields)


def failure(memory: Laptop, number: int) -> HookEvent:
    return event(memory, number, hook_event_name="PostToolUseFailure", error="Exit code 2\nmake: *** No rule")


def log(memory: Laptop) -> str:
    path = memory.home / "logs/hook.log"
    return path.read_text() if path.exists() else ""


def test_call_is_recorded_without_an_answer_and_creates_no_journal(memory: Laptop) -> None:
    assert not after_tool(event(memory))

    assert len(store.all_trajectories()) == 1
    assert (memory.journal.exists(), log(memory)) == (False, "")


def test_repeated_failure_is_answered(memory: Laptop) -> None:
    answers = [after_tool(failure(memory, number)) for number in range(3)]

    assert [bool(answer) for answer in answers] == [False, False, True]


@pytest.mark.parametrize("name", [None, "", 7])
def test_event_without_a_tool_raises_and_records_nothing(name: object, memory: Laptop) -> None:
    with pytest.raises(CallError):
        after_tool(event(memory, tool_name=name))

    assert store.all_trajectories() == []


def test_home_that_cannot_be_written_raises_nothing(memory: Laptop) -> None:
    memory.home.write_text("a file in place of the folder")

    assert not after_tool(event(memory))


ENTRY = ("--domain", "debugging", "--strategy", "read-the-error", "--goal", "g", "--hypothesis", "h")
START = ("ghap", "start", *ENTRY, "--action", "a", "--prediction", "p", "--check", "pytest tests/a.py")
RUN: dict[str, Any] = {
    "tool_input": {"command": "touch a.py && pytest tests/a.py"},
    "tool_response": {"stdout": "3 passed", "stderr": "", "interrupted": False},
}
IN_REPOSITORY = ("main", "worktree", "sub-folder")


@pytest.mark.parametrize(
    ("command", "shell", "project"),
    [
        *itertools.product(IN_REPOSITORY, (*IN_REPOSITORY, "elsewhere"), IN_REPOSITORY),
        *(("main", "main", ""), *itertools.product(IN_REPOSITORY[1:], IN_REPOSITORY[1:], [""])),
    ],
)
def test_check_decides_the_entry_wherever_command_and_shell_are_in_a_repository(
    command: str, shell: str, project: str, memory: Laptop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = repository(tmp_path / "shop")
    folder = worktree(main, main / ".claude" / "worktrees" / "agent-7f")
    (folder / "src").mkdir()
    (tmp_path / "elsewhere").mkdir()
    places = {"main": main, "worktree": folder, "sub-folder": folder / "src", "elsewhere": tmp_path / "elsewhere"}
    if project:
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(places[project]))
    monkeypatch.chdir(places[command])
    assert memory(*START).status == 0
    monkeypatch.chdir(places[shell])

    answer = after_tool(event(memory, cwd=str(places[shell]), **RUN))

    assert "resolved by its check: confirmed" in str(answer)


def test_agents_in_two_worktrees_have_an_active_entry_each(
    memory: Laptop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = repository(tmp_path / "shop")
    folders = [main, worktree(main, tmp_path / "one"), worktree(main, tmp_path / "two")]
    for folder in folders:
        monkeypatch.chdir(folder)
        assert memory(*START, "--goal", folder.name).status == 0
    monkeypatch.chdir(folders[1])
    assert memory("ghap", "resolve", "confirmed", "--result", "It passed").status == 0

    goals = []
    for folder in folders:
        monkeypatch.chdir(folder)
        goals.append((memory("ghap", "show", "--json").json() or {}).get("goal"))
    assert goals == ["shop", None, "two"]


def test_check_decides_the_entry_of_another_repository_in_which_the_shell_is(
    memory: Laptop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(memory.project / "vendor" / "other")
    monkeypatch.chdir(other)
    memory(*START)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(memory.project))

    answer = after_tool(event(memory, cwd=str(other), **RUN))

    assert "resolved by its check: confirmed" in str(answer)


def test_events_of_a_session_belong_to_the_project_in_which_it_began(
    memory: Laptop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, other = repository(tmp_path / "shop"), repository(tmp_path / "other")
    session.start(event(memory, hook_event_name="SessionStart", source="startup", cwd=str(shop)))
    after_tool(event(memory, cwd=str(other)))
    assert [trajectory.state()["project"] for trajectory in store.all_trajectories()] == [str(shop)]
