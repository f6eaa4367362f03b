"""EditThrash: a place in a file that returns to a state it had left."""

from __future__ import annotations

from itertools import pairwise

from tests.trajectory.local.observers.calls import edit, is_silent, observe, others, runs_after
from trajectory.local import ToolCallRecord
from trajectory.local.observers.edit_thrash import EditThrash


def states(*texts: str, path: str = "a.py") -> list[ToolCallRecord]:
    """Edits that lead from each text to the next."""
    return [edit(path, before, after) for before, after in pairwise(texts)]


def test_second_return_to_one_state_is_a_caution_that_cites_the_edits() -> None:
    assessment = observe(EditThrash(), *states(*"ABABA"))
    assert (assessment.observer_name, assessment.severity, assessment.calls) == ("Edit Thrash", "caution", (1, 2, 3, 4))
    assert assessment.identity == "Edit Thrash: a.py"
    assert assessment.observations[0].evidence == "\n".join(
        f"#{n}: Edit(a.py: {change})" for n, change in enumerate(["A -> B", "B -> A", "A -> B", "B -> A"], 1)
    )
    assert ("`a.py`" in assessment.summary, "2 times" in assessment.summary) == (True, True)


def test_one_way_back_to_each_state_is_none() -> None:
    assert is_silent(EditThrash(), *states(*"ABAB"))


def test_third_return_is_a_warning() -> None:
    assert observe(EditThrash(), *states(*"ABABABA")).severity == "warning"


def test_new_states_are_no_return() -> None:
    assert is_silent(EditThrash(), *states(*"ABCDEFGH"))


def test_state_reached_by_a_detour_is_a_return() -> None:
    assert not is_silent(EditThrash(), *states(*"ABCABCA"))


def test_same_texts_in_two_files_are_two_places() -> None:
    assert is_silent(EditThrash(), *states(*"ABA"), *states(*"ABA", path="b.py"))


def test_whole_file_written_as_it_was_is_a_return() -> None:
    assert not is_silent(EditThrash(), *[edit("a.py", "", text) for text in "ABABA"])
    assert is_silent(EditThrash(), *[edit("a.py", "", text) for text in "AAAAA"])


def test_it_ends_six_calls_after_the_last_return() -> None:
    assert not is_silent(EditThrash(), *states(*"ABABA"), *others(5))
    assert is_silent(EditThrash(), *states(*"ABABA"), *others(6))


def test_it_runs_after_an_edit_only() -> None:
    assert [runs_after(EditThrash(), *calls) for calls in ([], states(*"AB"), [*states(*"AB"), *others(1)])] == [
        False,
        True,
        False,
    ]
