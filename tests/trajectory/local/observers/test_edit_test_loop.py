"""EditTestLoop: a check that fails alike, whatever is edited."""

from __future__ import annotations

from tests.trajectory.local.observers.calls import call, edit, error, is_silent, observe, others, runs_after
from trajectory.local import ToolCallRecord
from trajectory.local.observers.edit_test_loop import EditTestLoop


def check(output: str = "1 failed", **fields: object) -> ToolCallRecord:
    return error("Bash", "pytest", output, kind="command", **fields)


def loop(runs: int) -> list[ToolCallRecord]:
    """`runs` failing checks with an edit of another file before each but the first."""
    return [check(), *[record for n in range(1, runs) for record in (edit(f"src/{n}.py"), check())]]


def test_third_run_that_fails_alike_is_a_caution_that_cites_the_runs() -> None:
    assessment = observe(EditTestLoop(), *loop(3))
    assert (assessment.observer_name, assessment.severity, assessment.calls) == (
        "Edit-Test Loop",
        "caution",
        (1, 3, 5),
    )
    assert assessment.identity == "Edit-Test Loop: Bash pytest"
    assert assessment.observations[0].evidence == "\n".join(f"#{n}: Bash(pytest) -> 1 failed" for n in (1, 3, 5))
    assert "3 times" in assessment.summary
    assert "#2, #4" in assessment.observations[0].description
    assert "`src/1.py`, `src/2.py`" in assessment.suggestions[0]


def test_second_run_is_none() -> None:
    assert is_silent(EditTestLoop(), *loop(2))
    assert [runs_after(EditTestLoop(), *others(n)) for n in (4, 5)] == [False, True]


def test_sixth_run_is_a_warning_and_the_fifth_not_yet() -> None:
    assert [observe(EditTestLoop(), *loop(n)).severity for n in (5, 6)] == ["caution", "warning"]


def test_number_of_failing_tests_is_in_the_summary() -> None:
    runs = [check(failures=2), edit(), check(failures=2), edit(), check(failures=2)]
    assert "2 failing" in observe(EditTestLoop(), *runs).summary


def test_runs_without_an_edit_in_between_are_none() -> None:
    assert is_silent(EditTestLoop(), *[check()] * 5)
    assert is_silent(EditTestLoop(), check(), edit(), check(), *others(1), check())


def test_another_output_is_progress() -> None:
    assert is_silent(EditTestLoop(), *loop(3), edit(), check("0 failed, 1 error"))


def test_passing_run_starts_the_count_again() -> None:
    passed = call("Bash", "pytest", "1 failed", kind="command")
    assert is_silent(EditTestLoop(), *loop(2), passed, *loop(2))


def test_output_that_says_it_failed_counts_as_a_failure() -> None:
    run = call("Bash", "make", "error: x", kind="command", says="failure")
    assert observe(EditTestLoop(), run, edit(), run, edit(), run).calls == (1, 3, 5)


def test_reading_and_waiting_are_no_checks() -> None:
    for fields in ({"looks": True}, {"polls": True}, {"kind": "read"}):
        run = error("Bash", "pytest", "1 failed", **{"kind": "command"} | fields)
        assert is_silent(EditTestLoop(), run, edit(), run, edit(), run)


def test_runs_of_one_batch_are_one() -> None:
    both = [check(batch_id="m1"), check(batch_id="m1")]
    assert is_silent(EditTestLoop(), *both, edit(), check())


def test_it_ends_eight_calls_after_the_last_run() -> None:
    assert not is_silent(EditTestLoop(), *loop(3), *others(7))
    assert is_silent(EditTestLoop(), *loop(3), *others(8))


def test_long_paths_are_named_by_their_end() -> None:
    path = "packages/application/src/main/resources/model.py"
    calls = [check(), *[record for _ in range(2) for record in (edit(path), check())]]
    assert "`…/resources/model.py`" in observe(EditTestLoop(), *calls).suggestions[0]
