"""How often a call was there before, and how many failed in a row."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from trajectory.local import outcome
from trajectory.local.calls import repeats


def lengths(*calls: tuple[str, str]):
    last, found = None, []
    for index, (came_out, batch) in enumerate(calls, 1):
        row = {"call_index": index, "outcome": came_out, "batch_id": batch}
        last = row | repeats.streak(last, row)
        found.append(last["streak"])
    return found


def test_errors_are_counted_until_a_success():
    assert lengths(("error", ""), ("error", ""), ("ok", ""), ("error", "")) == [1, 2, 0, 1]


def test_no_match_ends_the_streak_like_any_success():
    assert lengths(("error", ""), ("no-match", ""), ("error", "")) == [1, 0, 1]


def test_rejection_denial_cancellation_and_provider_leave_it_as_it_is():
    neutral = [(name, "") for name in ("rejection", "denial", "cancelled", "provider")]
    assert lengths(("error", ""), *neutral, ("error", "")) == [1, 1, 1, 1, 1, 2]


def test_siblings_that_fail_together_are_one_failure():
    assert lengths(("error", "a"), ("error", "a"), ("error", "a"), ("error", "b")) == [1, 1, 1, 2]


def test_sibling_that_succeeds_ends_the_streak_before_or_after_the_others():
    assert lengths(("error", "a"), ("error", "b"), ("ok", "b"), ("error", "b")) == [1, 2, 0, 0]


@given(st.lists(st.tuples(st.sampled_from(sorted(outcome.OUTCOMES)), st.sampled_from(["", "a", "b"]))))
def test_streak_without_batches_is_the_run_of_errors_at_the_end(calls):
    calls = [(came_out, "") for came_out, _ in calls]
    counted = [came_out for came_out, _ in calls if came_out not in outcome.NEUTRAL]
    run = 0
    while run < len(counted) and counted[-1 - run] == "error":
        run += 1
    assert (lengths(*calls) or [0])[-1] == run


def test_repeats_count_the_mark_that_comes_back_most() -> None:
    rows = [{"tool_name": "T", "args_hash": args, "result_key": result} for args, result in ("ax", "bx", "ay")]
    assert [repeats.repeats(rows[:n], row) for n, row in enumerate(rows)] == [1, 2, 2]
    assert repeats.repeats(rows, {"tool_name": "Other", "args_hash": "a", "result_key": "x"}) == 1
    assert repeats.repeats([{"args_hash": ""}] * 9, {"args_hash": ""}) == 1


def related(*rows: Mapping[str, object]) -> list[dict[str, object]]:
    earlier: list[dict[str, object]] = []
    for index, row in enumerate(rows, 1):
        numbered = {"tool_name": "T", "outcome": "error", "call_index": index} | dict(row)
        earlier.append(numbered | repeats.relations(earlier, numbered))
    return earlier


def test_same_counts_equal_calls_with_equal_results_beyond_the_thirty_that_are_compared() -> None:
    call, other = {"args_hash": "a", "result_key": "x"}, {"args_hash": "b", "result_key": "y"}
    assert [row["same"] for row in related(*[call] * 120)] == list(range(1, 121))
    assert related(*[call, *[other] * 29] * 2, call)[-1]["same"] == 3
    assert related(call, *[other] * 30, call)[-1]["same"] == 1


def test_another_result_and_siblings_of_a_batch_do_not_count_as_the_same() -> None:
    assert [row["same"] for row in related(*({"args_hash": "a", "result_key": key} for key in "xyxx"))] == [1, 1, 2, 3]
    batch = {"args_hash": "a", "result_key": "x", "batch_id": "m"}
    assert [row["same"] for row in related(batch, batch, batch | {"batch_id": "n"})] == [1, 1, 2]


def test_all_counts_begin_again_when_a_person_speaks() -> None:
    call = {"args_hash": "a", "result_key": "x"}
    rows = related(*[call | {"turn": "1"}] * 3, *[call | {"turn": "2"}] * 2)
    assert [(row["repeats"], row["same"], row["streak"], row["streak_from"]) for row in rows] == [
        (1, 1, 1, 1),
        (2, 2, 2, 1),
        (3, 3, 3, 1),
        (1, 1, 1, 4),
        (2, 2, 2, 4),
    ]


def test_failed_call_that_waits_leaves_the_streak_as_it_is() -> None:
    rows = related({}, {"polls": True}, {"polls": True}, {}, {"polls": True, "outcome": "ok"}, {})
    assert [row["streak"] for row in rows] == [1, 1, 1, 2, 0, 1]


def test_tests_that_pass_end_the_streak_and_those_that_fail_leave_it_as_it_is() -> None:
    passed, red = {"outcome": "ok", "failures": 0}, {"failures": 3}
    assert [row["streak"] for row in related({}, {}, passed, {}, {})] == [1, 2, 0, 1, 2]
    assert [row["streak"] for row in related({}, {}, red, red | {"outcome": "ok"}, {"failures": 0}, {})] == [
        *(1, 2, 2, 2, 2, 3),
    ]
