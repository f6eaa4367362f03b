"""RepeatCall: one call with the same arguments and the same result."""

from __future__ import annotations

from tests.trajectory.local.observers.calls import call, edit, error, is_silent, observe, others, runs_after
from trajectory.local import Assessment, RepeatCall, ToolCallRecord


def cat(result: str = "text", **fields: str) -> ToolCallRecord:
    return call("Bash", "cat x", result, **fields)


def test_third_call_with_the_same_result_is_a_caution_that_cites_all_three() -> None:
    assessment = observe(RepeatCall(), cat(), *others(1), cat(), cat())
    assert (assessment.observer_name, assessment.severity, assessment.calls) == ("Repeated Call", "caution", (1, 3, 4))
    assert assessment.identity == "Repeated Call: Bash cat x"
    assert assessment.observations[0].evidence == "\n".join(f"#{n}: Bash(cat x) -> text" for n in (1, 3, 4))
    assert "3 times" in assessment.summary


def test_second_call_is_none() -> None:
    assert is_silent(RepeatCall(), cat(), cat())
    assert [runs_after(RepeatCall(), *[cat()] * n) for n in (2, 3)] == [False, True]


def test_sixth_call_is_a_warning_and_the_fifth_not_yet() -> None:
    assert [observe(RepeatCall(), *[cat()] * n).severity for n in (5, 6)] == ["caution", "warning"]


def test_repeated_failure_is_a_repetition() -> None:
    assert observe(RepeatCall(), *[error("Bash", "make", "no rule")] * 3).calls == (1, 2, 3)


def test_only_a_call_that_failed_is_said_to_have_failed() -> None:
    failing = observe(RepeatCall(), *[error("Bash", "make", "no rule")] * 3)
    assert failing.summary == "The same `Bash` call failed 3 times with the same error: `no rule`."
    assert failing.suggestions[0] == "Fix that first: made again as it is, the call will fail again."
    quoting = observe(
        RepeatCall(), *[call("read_range", "a.py", "Line 3: // error", says="failure", result_size=16)] * 3
    )
    assert quoting.summary == "The same `read_range` call was made 3 times, with the same output, 16 characters."


def test_count_is_that_of_the_whole_turn() -> None:
    assert "failed 40 times" in observe(RepeatCall(), *[error("Bash", "make", "no rule")] * 40).summary


def test_other_results_and_unknown_ones_are_no_repetition() -> None:
    assert is_silent(RepeatCall(), *[cat(str(n)) for n in range(5)])
    assert is_silent(RepeatCall(), *[cat("")] * 5)


def test_calls_of_one_batch_are_no_repetition() -> None:
    assert is_silent(RepeatCall(), *[cat(batch_id="m1")] * 5)


def test_waiting_is_no_repetition() -> None:
    assert is_silent(RepeatCall(), *[call("Bash", "sleep 5", "", polls=True, result_key="empty")] * 5)


def test_check_that_runs_after_each_change_is_no_repetition() -> None:
    assert is_silent(RepeatCall(), cat(), edit(after="v1"), cat(), edit(after="v2"), cat())
    assert not is_silent(RepeatCall(), cat(), edit(), cat(), cat())


def test_it_ends_when_the_call_has_another_result() -> None:
    assert is_silent(RepeatCall(), cat(), cat(), cat(), cat("other"))


def test_it_ends_four_calls_after_the_last_repetition() -> None:
    assert not is_silent(RepeatCall(), cat(), cat(), cat(), *others(3))
    assert is_silent(RepeatCall(), cat(), cat(), cat(), *others(4))


def test_calls_reported_before_are_no_evidence() -> None:
    assert observe(RepeatCall(), cat(), cat(), cat(), cat(), ignore_evidence_before=2) == Assessment(
        "Repeated Call", "Nothing found.", timestamp=observe(RepeatCall()).timestamp
    )


def test_change_that_was_made_before_in_the_same_way_is_no_change() -> None:
    made = edit("try.py", "", "print(1)")
    removed = call("Bash", "rm try.py", "", changes=True)
    run = call("Bash", "python try.py", "1")
    assert not is_silent(RepeatCall(), *[made, run, removed] * 3)
    assert is_silent(
        RepeatCall(), *[each for n in range(3) for each in (edit("try.py", "", f"print({n})"), run, removed)]
    )
