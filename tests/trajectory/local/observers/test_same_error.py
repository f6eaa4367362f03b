"""SameError: one error out of different calls."""

from __future__ import annotations

from tests.trajectory.local.observers.calls import call, error, is_silent, observe, others, runs_after
from trajectory.local import Observation, SameError, ToolCallRecord

MESSAGE = "FileNotFoundError: no file data.csv"


def failing(n: int, message: str = MESSAGE, **fields: object) -> list[ToolCallRecord]:
    return [error("Bash", f"try {k}", message, **fields) for k in range(n)]


def test_third_call_with_one_error_is_a_caution_with_the_first_message_in_full() -> None:
    assessment = observe(SameError(), *failing(3))
    assert (assessment.observer_name, assessment.severity, assessment.calls) == ("Same Error", "caution", (1, 2, 3))
    assert [observation.evidence for observation in assessment.observations] == [
        "\n".join(f"#{n}: Bash - {MESSAGE}" for n in (1, 2, 3)),
        f"#1: {MESSAGE}",
    ]
    assert isinstance(assessment.observations[1], Observation)
    assert assessment.summary.startswith("3 different calls")


def test_second_call_with_it_is_none() -> None:
    assert is_silent(SameError(), *failing(2))


def test_sixth_is_a_warning_and_the_fifth_not_yet() -> None:
    assert [observe(SameError(), *failing(n)).severity for n in (5, 6)] == ["caution", "warning"]


def test_errors_of_several_tools_count_together() -> None:
    tools = [error(tool, "x", MESSAGE) for tool in ("Bash", "Read", "Grep")]
    assert "Bash, Grep, Read" in observe(SameError(), *tools).observations[0].description


def test_identity_is_the_error_and_not_the_calls() -> None:
    assert observe(SameError(), *failing(3)).identity == observe(SameError(), *others(2), *failing(4)).identity


def test_same_call_again_is_no_finding_of_this_observer() -> None:
    assert is_silent(SameError(), *[error("Bash", "make", MESSAGE)] * 5)


def test_calls_of_one_batch_are_one() -> None:
    assert is_silent(SameError(), *failing(5, batch_id="m1"))


def test_failing_tests_and_what_the_agent_did_not_cause_are_left_out() -> None:
    assert is_silent(SameError(), *failing(5, failures=2))
    assert is_silent(SameError(), *failing(5, outcome="rejection", error_key="k"))


def test_different_errors_are_none() -> None:
    assert is_silent(SameError(), *[error("Bash", f"t{c}", f"unknown name {c}") for c in ("alpha", "beta", "gamma")])


def test_it_ends_four_calls_after_the_last_error() -> None:
    assert not is_silent(SameError(), *failing(3), *others(3))
    assert is_silent(SameError(), *failing(3), *others(4))


def test_it_runs_within_four_calls_of_a_failure() -> None:
    cases: list[list[ToolCallRecord]] = [[], failing(1), [*failing(1), *others(3)], [*failing(1), *others(4)]]
    assert [runs_after(SameError(), *calls) for calls in cases] == [False, True, True, False]


def refused(path: str, place: str) -> ToolCallRecord:
    return error("Edit", place, "File has not been read yet.", kind="write", paths=(path,))


def test_edits_refused_for_one_reason_are_reported_and_those_made_after_all_are_not() -> None:
    edits = [refused(f"{n}.py", f"{n}") for n in range(3)]
    made = [call("Edit", f"{n} again", "updated", kind="write", paths=(f"{n}.py",)) for n in range(3)]
    assert not is_silent(SameError(), *edits)
    assert not is_silent(SameError(), *edits, *[call("Edit", "x", "updated", kind="write", paths=("x.py",))])
    assert is_silent(SameError(), *[each for pair in zip(edits, made, strict=True) for each in pair])


def test_reading_tool_that_finds_no_file_is_an_answer_and_a_shell_that_does_is_an_error() -> None:
    looks = [error("Read", f"{n}.py", "File does not exist.", kind="read") for n in range(3)]
    runs = [error("Bash", f"python {n}.py", "No such file: a.csv", kind="command") for n in range(3)]
    assert [is_silent(SameError(), *calls) for calls in (looks, runs)] == [True, False]
