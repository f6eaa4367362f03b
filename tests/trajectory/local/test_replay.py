"""Replay: calls that are over, run through the observers."""

from __future__ import annotations

from datetime import timedelta

from tests.trajectory.local.twins.calls import read
from trajectory.local import ObserverConfig, ObserverTrigger, RepeatCall, ToolCallRecord, replay
from trajectory.local.observers.poll import Poll

REPEATS = [ObserverConfig(RepeatCall(), ObserverTrigger(after_repeats=3))]


def test_replay_reports_at_the_call_at_which_the_observer_would_have() -> None:
    result = replay.run([read("b.py"), *[read("a.py")] * 3], configs=REPEATS)
    assert [
        (notification.call_index, [each.observer_name for each in notification.news])
        for notification in result.notifications
    ] == [(4, ["Repeated Call"])]
    assert [(index, finding.severity) for index, finding in result.noted] == [(4, "caution")]
    assert [finding.calls for finding in result.open_findings] == [(2, 3, 4)]


def test_finding_is_noted_again_when_its_severity_changes() -> None:
    result = replay.run([read("a.py")] * 7, configs=REPEATS)
    assert [(index, finding.severity) for index, finding in result.noted] == [(3, "caution"), (6, "warning")]


def test_finding_that_the_agent_does_not_get_is_noted_only() -> None:
    quiet = [ObserverConfig(RepeatCall(), ObserverTrigger(after_repeats=3), tell=False)]
    result = replay.run([read("a.py")] * 3, configs=quiet)
    assert (result.notifications, [index for index, _ in result.noted]) == ([], [3])


def test_calls_that_cannot_be_read_are_counted_and_left_out() -> None:
    result = replay.run([read("a.py"), {"no": "call"}, read("b.py")], configs=REPEATS)
    assert (result.calls, result.refused) == (2, 1)


def test_call_that_comes_again_under_its_id_counts_once() -> None:
    result = replay.run([read("a.py", tool_use_id="t1")] * 3, configs=REPEATS)
    assert (result.calls, result.noted) == (1, [])


def test_calls_without_a_time_are_ten_seconds_apart() -> None:
    result = replay.run([read("a.py"), read("b.py")], configs=REPEATS)
    first, second = result.session[ToolCallRecord].all()
    assert second.timestamp - first.timestamp == timedelta(seconds=10)


def test_time_of_a_call_is_kept() -> None:
    result = replay.run([read("a.py", timestamp="2026-01-15T14:32:00Z"), read("b.py")], configs=REPEATS)
    assert [f"{call.timestamp:%H:%M:%S}" for call in result.session[ToolCallRecord].all()] == ["14:32:00", "14:32:10"]


def test_nothing_is_found_in_no_calls() -> None:
    result = replay.run([], configs=[ObserverConfig(Poll(), ObserverTrigger(every_n_calls=1))])
    assert (result.calls, result.refused, result.notifications, result.noted, result.open_findings) == (
        0,
        0,
        [],
        [],
        [],
    )


def test_calls_are_read_from_lines_of_either_form_and_other_lines_are_left_out() -> None:
    data = b"\n".join(
        [
            b'{"tool_name": "Read", "tool_input": {"file_path": "a.py"}}',
            b"",
            b"{torn",
            b"[1]",
            b'{"no": "call"}',
            b'{"i": 1, "tool": "Bash", "args": {"command": "ls"}, "result": "a", "success": true}',
        ]
    )
    assert list(replay.from_jsonl(data)) == [
        {"tool_name": "Read", "tool_input": {"file_path": "a.py"}},
        {"tool_name": "Bash", "tool_input": {"command": "ls"}, "result": "a", "success": True},
    ]


def test_calls_of_a_sub_agent_are_a_trajectory_of_their_own() -> None:
    calls = [read("a.py"), read("a.py", agent_id="x"), read("a.py")]
    results = replay.run_each(calls)
    assert [(result.agent, result.calls, len(result.notifications)) for result in results] == [("", 2, 0), ("x", 1, 0)]


def test_session_without_calls_of_its_own_is_first_all_the_same() -> None:
    assert [(result.agent, result.calls) for result in replay.run_each([read("a", agent_id="x")])] == [
        ("", 0),
        ("x", 1),
    ]
