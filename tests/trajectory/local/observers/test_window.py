"""The calls that a new finding may rest on, and how they are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rows.tool_calls import START, context_of, failed, ok, session_of
from trajectory.local import ObserverContext, ObserverState, ProjectFiles
from trajectory.local.observers import window
from trajectory.local.observers.cycle import Cycle


def test_recent_calls_are_the_last_ones_oldest_first() -> None:
    context = context_of(session_of(*[ok(params=str(n)) for n in range(5)]))
    assert [record.call_index for record in window.recent(context, 3)] == [3, 4, 5]


def test_calls_that_say_nothing_of_the_agent_are_left_out() -> None:
    context = context_of(session_of(ok(), failed(outcome="rejection"), failed(outcome="cancelled"), failed()))
    assert [record.call_index for record in window.recent(context, 10)] == [1, 4]


def test_calls_of_an_earlier_turn_are_left_out() -> None:
    context = context_of(session_of(ok(turn="one"), ok(turn="two"), ok(turn="two")))
    assert [record.call_index for record in window.recent(context, 10)] == [2, 3]


def test_what_was_only_looked_at_before_a_compaction_is_left_out() -> None:
    calls = [ok(looks=True), ok(), failed(), ok(changes=True), ok(looks=True, compactions=1)]
    context = context_of(session_of(*calls))
    assert [record.call_index for record in window.recent(context, 10)] == [2, 3, 4, 5]
    remembered = window.remembered(window.recent(context, 10))
    assert [record.call_index for record in remembered] == [3, 5]
    assert [record.call_index for record in window.recent(context_of(session_of(*calls[:4])), 10)] == [1, 2, 3, 4]


def test_calls_before_the_ignored_evidence_limit_are_left_out() -> None:
    session = session_of(ok(), ok(), ok())
    context = ObserverContext(
        session, ProjectFiles(Path("/nonexistent")), ObserverState(), START, ignore_evidence_before=2
    )
    assert [record.call_index for record in window.recent(context, 10)] == [3]


def test_no_calls_are_no_recent_calls() -> None:
    assert window.recent(context_of(session_of()), 10) == []


def test_calls_of_one_batch_are_one_decision() -> None:
    records = session_of(ok(batch_id="m"), ok(batch_id="m"), ok(), ok())
    assert window.decisions(context_of(records).recent_tool_calls(4)) == 3


def test_pattern_goes_on_while_its_newest_call_is_among_the_last_four() -> None:
    records = [ok(call_index=n) for n in range(1, 8)]
    assert [window.goes_on(records[:n], records) for n in (0, 3, 4)] == [False, False, True]
    assert window.goes_on(records[:3], records, within=5) is True


def test_calls_between_two_others_leave_both_out() -> None:
    records = [ok(call_index=n) for n in range(1, 6)]
    assert window.between(records[1], records[4], records) == records[2:4]
    assert window.between(records[1], records[2], records) == []


def test_setting_above_its_limit_is_refused_with_the_reason() -> None:
    window.at_most(Cycle(), 3, "rounds")
    with pytest.raises(ValueError, match=r"^rounds must be at most 2, the calls that are kept, not 3$"):
        window.at_most(Cycle(), 2, "rounds")
    with pytest.raises(ValueError, match=r"^longest must be at most 1, the window_size, not 4$"):
        window.at_most(Cycle(), 1, "longest", reason="the window_size")


@pytest.mark.parametrize("value", [0, -1, True, "3", None, float("nan")])
def test_threshold_that_is_not_a_number_above_zero_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="rounds must be a number above 0"):
        Cycle(rounds=value)  # type: ignore[arg-type]
