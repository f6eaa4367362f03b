"""A finished tool call in this process: it is recorded, counted for the journal, and the two fail apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycli.hook.tool_call import after_tool
from memoryserver.common.hook_event import HookEvent
from tests.support.laptop import Laptop
from trajectory.local import store
from trajectory.local.calls.parse import CallError


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    return Laptop(tmp_path, monkeypatch, capsys)


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
