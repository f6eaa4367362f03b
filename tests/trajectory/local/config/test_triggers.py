"""The trigger of an observer follows from its thresholds, so that a lower threshold is in effect at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trajectory.local import (
    Cycle,
    ErrorCascadeDetector,
    FixedMessage,
    NoChange,
    ObserverConfig,
    ObserverTrigger,
    Pace,
    Poll,
    RepeatCall,
    StallDetector,
    TestTrend,
    ToolCallRecord,
)
from trajectory.local.calls import record
from trajectory.local.calls.row import row_of
from trajectory.local.config import registry, schema, triggers
from trajectory.local.engine.runner import run_observers
from trajectory.local.engine.session import RecordToolCall, Session
from trajectory.local.replay import MemoryFilesystem

Report = dict[str, Any]


def bash(command: str, error: str = "", **fields: Any) -> Report:
    failing = {"error": error} if error else {"success": True, "result": fields.pop("result", "")}
    return {"tool_name": "Bash", "tool_input": {"command": command}, **failing, **fields}


def edit(n: int) -> Report:
    change = {"file_path": "a.py", "old_string": f"x{n}", "new_string": f"x{n + 1}"}
    return {"tool_name": "Edit", "tool_input": change, "success": True, "result": "ok"}


def read(n: int) -> Report:
    return {"tool_name": "Read", "tool_input": {"file_path": f"{n}.py"}, "success": True, "result": f"text {n}"}


def red(n: int) -> Report:
    return bash("pytest", f"Exit code 1\nFAILED tests/test_a.py::test_b\n1 failed in 0.{n}s") if n % 2 == 0 else edit(n)


# For each kind: settings with a lower threshold, the n-th call, and the call at which something is found then.
LOWERED: dict[str, tuple[dict[str, Any], Callable[[int], Report], int]] = {
    "repeat_call": ({"repetition_threshold": 2}, lambda _: bash("ls", result="a b"), 2),
    "poll": ({"poll_threshold": 4}, lambda _: bash("sleep 5; curl -s localhost/health", result="starting"), 4),
    "cycle": ({"same_rounds": 1}, lambda n: bash(f"cat {n % 3}", result=f"answer {n % 3}"), 4),
    "stagnation": ({"caution_threshold": 2}, lambda n: bash(f"find-user {n}", result="the user is locked out"), 2),
    "same_error": ({"error_threshold": 2}, lambda n: bash(f"job {n}", "Exit code 3\nno space left on device"), 2),
    "edit_test_loop": ({"run_threshold": 2}, lambda n: bash("make", "Exit code 2\nbad") if n % 2 == 0 else edit(n), 3),
    "test_trend": ({"run_threshold": 2}, red, 3),
    "error_cascade": ({"consecutive_threshold": 2}, lambda n: bash(f"job {n}", f"Exit code 3\nodd {n}{n}"), 2),
    "error_rate": ({"minimum_sample": 3}, lambda n: bash(f"job {n}", f"Exit code 3\nerror {n}"), 3),
    "no_change": ({"caution_threshold": 5, "wants_changes": True}, read, 5),
    "pace": ({"calls": 10}, read, 5),
    "stall": ({"window_size": 4}, read, 4),
}


def turned(n: int) -> Report:
    """An edit and its reversal in turn."""
    texts = ("x", "y") if n % 2 == 0 else ("y", "x")
    change = {"file_path": "a.py", "old_string": texts[0], "new_string": texts[1]}
    return {"tool_name": "Edit", "tool_input": change, "success": True, "result": "ok"}


def scripted(n: int) -> Report:
    """A script that is written, run and removed in turn, and prints the same."""
    content = {"file_path": "t.py", "content": f"print({n})"}
    created = {"tool_name": "Write", "tool_input": content, "success": True, "result": "File created"}
    return (created, bash("python t.py", result="total: 41"), bash("rm t.py"))[n % 3]


# For each kind: its highest thresholds, the n-th call of a run that is made for it, and the call at which it is found.
HIGHEST: dict[str, tuple[dict[str, Any], Callable[[int], Report], int]] = {
    "repeat_call": ({"repetition_threshold": 10}, lambda _: bash("ls", result="a b"), 10),
    "poll": ({"poll_threshold": 40}, lambda _: bash("sleep 5; curl -s localhost/health", result="starting"), 40),
    "cycle": (
        {"longest": 14, "rounds": 6, "same_rounds": 6},
        lambda n: bash(f"cat {n % 14}", result=f"answer {n % 14}"),
        84,
    ),
    "stagnation": (
        {"caution_threshold": 12, "warning_threshold": 12},
        lambda n: bash(f"find-user {n}", result="the user is locked out"),
        12,
    ),
    "same_error": ({"error_threshold": 20}, lambda n: bash(f"job {n}", "Exit code 3\nno space left on device"), 20),
    "edit_thrash": ({"return_threshold": 19}, turned, 38),
    "edit_test_loop": (
        {"run_threshold": 10},
        lambda n: bash("make", "Exit code 2\nbad") if n % 2 == 0 else edit(n),
        19,
    ),
    "no_effect": (
        {"run_threshold": 50},
        lambda n: bash("python a.py", result="total: 41") if n % 2 == 0 else edit(n),
        99,
    ),
    "recreated": ({"same_threshold": 33, "round_threshold": 50}, scripted, 99),
    "rereading": ({"view_threshold": 25}, lambda n: read(n % 2), 50),
    "test_trend": ({"run_threshold": 40}, red, 79),
    "error_rate": (
        {"minimum_sample": 12, "rate_threshold": 1.0},
        lambda n: bash(f"job {n}", f"Exit code 3\nerror {n}"),
        12,
    ),
    "no_change": (
        {"info_threshold": 120, "caution_threshold": 120, "page_threshold": 120},
        lambda n: read(n) if n else edit(n),
        128,
    ),
    "stall": ({"repetition_threshold": 10}, lambda _: read(1), 10),
}


def first_found(settings: dict[str, Any], kind: str, report: Callable[[int], Report]) -> int | None:
    """Return the number of the call, from 1, after which the observer of `kind` has an open finding."""
    only = {other: {"enabled": False} for other in registry.KINDS if other != kind}
    configs = schema.parse({"observers": only | {kind: {"settings": settings}}})
    session = Session()
    for n in range(140):
        call: ToolCallRecord = record.from_row(record.to_row(record.from_row(row_of(report(n)))))
        session.dispatch(RecordToolCall(call))
        run_observers(session, configs, MemoryFilesystem())
        if any(memory.standing for memory in session.progress.values()):
            return n + 1
    return None


@pytest.mark.parametrize("kind", LOWERED)
def test_lower_threshold_is_in_effect_at_its_own_call(kind: str) -> None:
    settings, report, expected = LOWERED[kind]
    assert first_found(settings, kind, report) == expected


@pytest.mark.parametrize("kind", sorted(set(LOWERED) - {"pace"}))
def test_default_threshold_is_met_later(kind: str) -> None:
    settings, report, expected = LOWERED[kind]
    others = {name: value for name, value in settings.items() if name == "wants_changes"}
    at = first_found(others, kind, report)
    assert at is None or at > expected


@pytest.mark.parametrize("kind", HIGHEST)
def test_highest_threshold_can_be_met(kind: str) -> None:
    settings, report, expected = HIGHEST[kind]
    assert first_found(settings, kind, report) == expected


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, case in HIGHEST.items() for name in case[0]])
def test_threshold_that_can_never_be_met_is_refused_in_one_sentence(kind: str, name: str) -> None:
    highest = HIGHEST[kind][0][name]
    with pytest.raises(schema.ConfigurationError) as refused:
        schema.parse({"observers": {kind: {"settings": HIGHEST[kind][0] | {name: highest + 1}}}})
    assert str(refused.value).startswith(f"{kind}: {name} must be ")
    assert str(refused.value).endswith(f", not {highest + 1}")


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_kind_has_a_trigger_of_its_own(kind: str) -> None:
    needed: dict[str, Any] = {"initial_paths": frozenset({"a"}), "message": "Look."}
    settings = {name: value for name, value in needed.items() if name in registry.required_of(kind)}
    trigger = triggers.trigger_of(registry.KINDS[kind](**settings))
    assert trigger != ObserverTrigger()


@pytest.mark.parametrize(
    ("observer", "expected"),
    [
        pytest.param(RepeatCall(repetition_threshold=5), {"after_repeats": 5}, id="repeat_call"),
        pytest.param(RepeatCall(99, 40), {"after_repeats": 3}, id="more calls than repetitions are counted in"),
        pytest.param(Poll(), {"after_repeats": 3}, id="poll"),
        pytest.param(Poll(budget_seconds=60), {"after_repeats": 3}, id="poll of a budget"),
        pytest.param(Cycle(rounds=5, same_rounds=4), {"after_repeats": 4}, id="cycle"),
        pytest.param(Cycle(longest=14, rounds=5, same_rounds=4), {"after_repeats": 3}, id="cycle of many calls"),
        pytest.param(TestTrend(run_threshold=9), {"after_repeats": 3}, id="rising failures need no threshold"),
        pytest.param(ErrorCascadeDetector(5, 7), {"after_consecutive_errors": 5}, id="cascade below its info"),
        pytest.param(NoChange(page_threshold=4), {"every_n_calls": 4}, id="pages of one file"),
        pytest.param(Pace(calls=20), {"every_n_calls": 2}, id="few calls"),
        pytest.param(Pace(seconds=60), {"every_n_calls": 5, "every_n_seconds": 6}, id="seconds"),
        pytest.param(StallDetector(window_size=6), {"every_n_calls": 6}, id="stall"),
    ],
)
def test_trigger_follows_from_the_thresholds(observer: Any, expected: dict[str, Any]) -> None:
    assert triggers.trigger_of(observer) == ObserverTrigger(**expected)


def test_conditions_of_a_configuration_are_added_and_make_no_threshold_ineffective() -> None:
    later = ObserverTrigger(after_repeats=9, every_n_calls=20, file_created="build.log")
    assert triggers.with_conditions(RepeatCall(), later) == ObserverTrigger(
        after_repeats=3, every_n_calls=20, file_created="build.log"
    )
    earlier = ObserverTrigger(after_repeats=2, on_every_call=True)
    assert triggers.with_conditions(RepeatCall(), earlier) == earlier


def test_conditions_replace_the_trigger_of_an_observer_without_thresholds() -> None:
    conditions = ObserverTrigger(file_created="build.log")
    assert triggers.with_conditions(FixedMessage("Look."), conditions) == conditions


def test_configured_trigger_and_threshold_are_both_in_effect() -> None:
    body = {"repeat_call": {"settings": {"repetition_threshold": 2}, "trigger": {"after_repeats": 8}}}
    first = schema.parse({"observers": body})[0]
    assert first == ObserverConfig(RepeatCall(repetition_threshold=2), ObserverTrigger(after_repeats=2))
