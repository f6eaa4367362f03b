"""What an observer can ask of its context."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.rows.tool_calls import START, context_of, failed, ok, session_of


@pytest.mark.parametrize(("n", "expected"), [(0, []), (-3, []), (2, [2, 3]), (99, [1, 2, 3])])
def test_recent_calls_of_zero_are_none(n, expected):
    calls = context_of(session_of(ok(), ok(), ok())).recent_tool_calls(n)
    assert [call.call_index for call in calls] == expected


def test_calls_since_a_time_take_it_with_or_without_its_zone():
    session = session_of(*(ok(timestamp=START + timedelta(minutes=n)) for n in range(4)))
    since = START + timedelta(minutes=2)
    for moment in (since, since.replace(tzinfo=None)):
        calls = context_of(session).tool_calls_since(moment)
        assert [call.call_index for call in calls] == [3, 4]


@pytest.mark.parametrize(
    ("calls", "rate"),
    [
        ([], 0.0),
        ([failed()], 1.0),
        ([ok(), failed()], 0.5),
        ([failed(), ok(), ok()], 0.0),
        ([failed(outcome="rejection"), failed(outcome="provider")], 0.0),
        ([failed(outcome="rejection"), failed()], 1.0),
    ],
)
def test_error_rate_counts_the_agents_failures_in_the_window(calls, rate):
    assert context_of(session_of(*calls)).error_rate(2) == rate
