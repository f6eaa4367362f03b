from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

from demo.calls import FILES, calls_of, stuck_calls
from trajectory.local.calls.row import row_of

THEN = datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.parametrize("project", sorted(FILES))
def test_calls_are_as_agents_send_them_and_in_the_order_of_time(project: str) -> None:
    calls = list(calls_of(project, THEN, stuck=True, chance=random.Random(1)))
    times = [call["timestamp"] for call in calls]
    assert (times, [call["id"] for call in calls]) == (sorted(times), [f"call-{n + 1}" for n in range(len(calls))])
    assert {row_of(call)["tool_name"] for call in calls} <= {"Read", "Edit", "Bash"}


def test_stuck_session_fails_six_times_and_another_never() -> None:
    def errors(stuck: bool) -> int:
        calls = calls_of(min(FILES), THEN, stuck=stuck, chance=random.Random(1))
        return sum("error" in call for call in calls)

    assert (errors(True), errors(False)) == (6, 0)


def test_session_that_is_stuck_now_ends_with_its_last_failure() -> None:
    *_, last = stuck_calls(min(FILES), THEN, chance=random.Random(1))
    assert (last["timestamp"], "error" in last) == (THEN.isoformat(), True)
