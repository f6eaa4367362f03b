"""NoChange: much reading, and nothing is changed."""

from __future__ import annotations

from datetime import timedelta

from tests.support.rows.tool_calls import START
from tests.trajectory.local.observers.calls import call, edit, is_silent, observe, others, runs_after
from trajectory.local import ToolCallRecord
from trajectory.local.observers.no_change import NoChange

MINUTE = timedelta(minutes=1)


def reads(n: int, path: str = "") -> list[ToolCallRecord]:
    """Reads of `n` files, or of one file in `n` parts, a minute apart."""
    return [
        call("Read", f"{path} {k}", "text", looks=True, paths=(path or f"{k}.py",), timestamp=START + k * MINUTE)
        for k in range(n)
    ]


def test_twenty_five_reads_since_a_change_are_noted_with_their_duration() -> None:
    assessment = observe(NoChange(), edit(), *reads(25))
    assert (assessment.observer_name, assessment.severity, assessment.calls) == (
        "No Change",
        "info",
        tuple(range(2, 27)),
    )
    assert assessment.identity == "No Change: only reading"
    assert assessment.observations[0].evidence == "\n".join(f"#{n}: Read( {n - 2})" for n in range(22, 27))
    assert ("25 calls" in assessment.summary, "24 minutes" in assessment.summary) == (True, True)
    assert "#2" in assessment.observations[0].description


def test_twenty_four_are_none() -> None:
    assert is_silent(NoChange(), edit(), *reads(24))
    assert [runs_after(NoChange(), *reads(n)) for n in (24, 25)] == [False, True]


def test_forty_are_a_caution_and_thirty_nine_are_not() -> None:
    assert [observe(NoChange(), edit(), *reads(n)).severity for n in (39, 40)] == ["info", "caution"]


def test_files_that_were_read_more_than_once_are_named() -> None:
    twice = [*reads(24), *reads(1)]
    assert "`0.py`" in observe(NoChange(), edit(), *twice).observations[0].description
    assert "`0.py`" not in observe(NoChange(), edit(), *reads(25)).observations[0].description


def test_session_that_changed_nothing_is_left_alone_unless_its_task_wants_changes() -> None:
    assert is_silent(NoChange(), *reads(60))
    assert observe(NoChange(wants_changes=True), *reads(60)).severity == "caution"
    assert is_silent(NoChange(wants_changes=False), edit(), *reads(60))


def test_change_ends_the_stretch_and_an_unknown_program_does_not() -> None:
    assert is_silent(NoChange(), edit(), *reads(20), edit(), *reads(20))
    assert len(observe(NoChange(), edit(), *reads(20), *others(1), *reads(20)).calls) == 40


def test_it_ends_four_calls_after_the_last_read() -> None:
    assert not is_silent(NoChange(), edit(), *reads(25), *others(3))
    assert is_silent(NoChange(), edit(), *reads(25), *others(4))


def test_one_file_read_in_thirty_parts_is_a_caution_without_any_change() -> None:
    assessment = observe(NoChange(), *reads(30, "big.log"))
    assert (assessment.identity, assessment.severity, assessment.calls) == (
        "Paging: big.log",
        "caution",
        tuple(range(1, 31)),
    )
    assert ("`big.log`" in assessment.summary, "30 times" in assessment.summary) == (True, True)


def test_twenty_nine_parts_or_thirty_of_two_files_are_no_paging() -> None:
    assert is_silent(NoChange(), *reads(29, "big.log"))
    assert is_silent(NoChange(), *reads(29, "big.log"), *reads(1, "other.log"))
