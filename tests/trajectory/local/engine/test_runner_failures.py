"""Observers that raise, never end or return no assessment, and a file that cannot be written."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.support.rows.tool_calls import Run, failed, ok
from tests.trajectory.local.engine.test_runner import CASCADE, FILE, Watcher, every
from trajectory.local import (
    Assessment,
)
from trajectory.local.engine import time_limit


class Raising(Watcher):
    """Raises wherever it is asked to."""

    def observe(self, session, *, context):
        self.ran.append(context.recent_tool_calls(1)[0].call_index)
        raise self.error

    error: BaseException = RuntimeError("x\nsecret \x1b[31mplan")


@pytest.mark.parametrize("error", [RuntimeError("no"), SystemExit(3), RecursionError("deep")])
def test_observer_that_raises_is_counted_and_breaks_neither_the_call_nor_the_others(tmp_path, error):
    raising, other = Raising("Raising"), Watcher("Other", says="odd")
    raising.error = error
    run = Run(tmp_path, every(1, raising), every(1, other))
    run.call(ok())
    memory = run.session.progress["Raising"]
    assert (memory.failures, memory.last_failure) == (1, f"{type(error).__name__}: {error}")
    assert "## Other" in run.written()


def test_observer_that_fails_three_times_in_a_row_is_left_out(tmp_path):
    raising = Raising("Raising")
    run = Run(tmp_path, every(1, raising))
    run.calls(*[ok()] * 6)
    assert raising.ran == [1, 2, 3]
    assert run.session.progress["Raising"].given_up
    assert run.session.progress["Raising"].last_failure == "RuntimeError: x secret plan"


def test_observer_that_never_ends_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(time_limit, "BUDGET_SECONDS", 0.05)

    class Endless(Watcher):
        def observe(self, session, *, context):
            while True:
                time.sleep(0.01)

    run = Run(tmp_path, every(1, Endless("Endless")))
    run.call(ok())
    assert run.session.progress["Endless"].last_failure == "OverBudgetError: took longer than 0.05 s"


NO_TEXT: Any = 3


@pytest.mark.parametrize("answer", [None, "text", Assessment("A", NO_TEXT)])
def test_observer_that_returns_no_assessment_is_counted_as_failing(tmp_path, answer):
    class Wrong(Watcher):
        def observe(self, session, *, context):
            return answer

    run = Run(tmp_path, every(1, Wrong("Wrong")))
    assert run.calls(ok()) == []
    assert run.session.progress["Wrong"].failures == 1


def test_file_that_cannot_be_written_is_reported_and_tried_again(tmp_path):
    (tmp_path / ".wink").write_text("a file in the way")
    run = Run(tmp_path, CASCADE)
    assert run.calls(*[failed()] * 3) == [3]
    assert run.session.write_failure.startswith(FILE)
    (tmp_path / ".wink").unlink()
    run.call(failed())
    assert (run.session.write_failure, run.written() != "") == ("", True)
