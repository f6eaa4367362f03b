"""Session: two slices, numbered calls, snapshots."""

from __future__ import annotations

import pytest

from tests.support.rows.tool_calls import failed, ok, session_of
from trajectory.local import ObserverState, RecordToolCall, Session, ToolCallRecord


def test_empty_slices_have_no_latest():
    session = Session()
    assert session[ToolCallRecord].latest() is None
    assert session[ObserverState].all() == ()


def test_calls_without_an_index_are_numbered_from_one():
    assert [call.call_index for call in session_of(ok(), ok(), ok())[ToolCallRecord].all()] == [1, 2, 3]


def test_given_index_is_kept_where_it_rises_and_assigned_where_it_does_not():
    session = session_of(ok(call_index=51), ok(), ok(call_index=7), ok(call_index=60))
    assert [call.call_index for call in session[ToolCallRecord].all()] == [51, 52, 53, 60]


def test_dispatch_returns_the_call_as_it_was_kept():
    session = session_of(failed())
    kept = session.dispatch(RecordToolCall(failed()))
    assert (kept.call_index, kept.streak, kept.streak_from) == (2, 2, 1)
    assert session[ToolCallRecord].latest() == kept


def test_seed_puts_one_value_in_place_of_all():
    session = Session()
    session[ObserverState].seed(ObserverState(1))
    session[ObserverState].seed(ObserverState(2))
    assert session[ObserverState].all() == (ObserverState(2),)


def test_seed_of_calls_numbers_and_counts_them():
    session = Session()
    session[ToolCallRecord].seed([failed(), failed()])
    assert [(call.call_index, call.streak) for call in session[ToolCallRecord].all()] == [(1, 1), (2, 2)]


@pytest.mark.parametrize(("n", "expected"), [(-1, []), (0, []), (1, [3]), (2, [2, 3]), (9, [1, 2, 3])])
def test_last_gives_the_newest_oldest_first_and_none_for_zero(n, expected):
    calls = session_of(ok(), ok(), ok())[ToolCallRecord].last(n)
    assert [call.call_index for call in calls] == expected


def test_slice_of_another_type_is_refused():
    with pytest.raises(KeyError, match="slices of ToolCallRecord and ObserverState"):
        Session()[str]


def test_restore_brings_back_calls_and_state_and_leaves_the_snapshot_as_it_was():
    session = session_of(ok(), failed())
    session[ObserverState].seed(ObserverState(2))
    before = session.snapshot()
    session.dispatch(RecordToolCall(failed()))
    session[ObserverState].seed(ObserverState(3))
    session.restore(before)
    assert session.snapshot() == before
    assert session.dispatch(RecordToolCall(failed())).call_index == 3
    assert len(before.calls) == 2
