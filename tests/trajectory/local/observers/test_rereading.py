"""Rereading: several things are looked at again and again."""

from __future__ import annotations

import pytest

from tests.trajectory.local.observers.calls import call, edit, is_silent, observe, others, runs_after
from trajectory.local import Rereading, ToolCallRecord


def look(path: str, result: str = "") -> ToolCallRecord:
    return call("Read", f"path={path}", result or f"text of {path}", kind="read", looks=True, paths=(path,))


def views(n: int, *names: str) -> list[ToolCallRecord]:
    return [look(name) for _ in range(n) for name in names]


def test_two_files_read_three_times_are_a_caution_that_cites_them() -> None:
    assessment = observe(Rereading(), look("c.py"), *views(3, "a.py", "b.py", "d.py"))
    assert assessment.summary == "3 things were looked at 3 times or more, unchanged: `a.py`, `b.py`, `d.py`."
    assert (assessment.severity, assessment.calls) == ("caution", (2, 3, 4, 5, 6, 7, 8, 9, 10))
    assert assessment.identity == "Read Again: known results"


def test_one_file_and_a_second_view_are_none() -> None:
    assert is_silent(Rereading(), *views(2, "a.py", "b.py", "c.py", "d.py", "e.py"))
    assert is_silent(Rereading(), *views(9, "a.py"))


def test_other_contents_are_news() -> None:
    calls = [look(name, f"{name} {n}") for n in range(4) for name in ("a.py", "b.py", "c.py")]
    assert is_silent(Rereading(), *calls)


def test_what_was_read_before_the_last_change_may_be_read_again() -> None:
    assert is_silent(Rereading(), *views(2, "a.py", "b.py", "c.py"), edit(), *views(2, "a.py", "b.py", "c.py"))


def test_latest_calls_that_bring_something_new_are_progress() -> None:
    assert is_silent(Rereading(), *views(3, "a.py", "b.py"), *others(7), look("a.py"))


def test_it_ends_four_calls_after_the_last_view() -> None:
    calls = views(4, "a.py", "b.py", "c.py")
    assert [is_silent(Rereading(), *calls, *others(n)) for n in (3, 4)] == [False, True]


def test_it_runs_when_something_is_looked_at_again() -> None:
    cases = [[], [look("a.py")], views(2, "a.py"), [*views(2, "a.py"), edit()]]
    assert [runs_after(Rereading(), *calls) for calls in cases] == [False, False, True, False]


def test_threshold_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="view_threshold"):
        Rereading(view_threshold=0)
