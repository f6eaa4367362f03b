"""The plan tells a quiet call from one that an observer may be due at."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.rows.tool_calls import START, Run, failed, ok
from tests.trajectory.local.engine.test_runner import Watcher
from trajectory.local import ObserverConfig, ObserverTrigger, ToolCallRecord
from trajectory.local.calls import record
from trajectory.local.engine import schedule

PLAN = {"every_call": False, "at_call": 10, "at_streak": [[3, 5]], "at_time": 2000.0, "made_at": 1000.0}
PLAN |= {"at_repeats": 3, "at_file": [["/nonexistent/file", False]]}
ROW = {"call_index": 9, "streak": 0, "streak_from": 0, "repeats": 1}


@pytest.mark.parametrize(
    ("changed", "row", "now", "due"),
    [
        ({}, ROW, 1500.0, False),
        ({}, ROW | {"call_index": 10}, 1500.0, True),
        ({}, ROW | {"streak": 3, "streak_from": 7}, 1500.0, True),
        ({}, ROW | {"streak": 4, "streak_from": 5}, 1500.0, False),
        ({}, ROW | {"repeats": 3}, 1500.0, True),
        ({"at_file": [["/", False]]}, ROW, 1500.0, True),
        ({"at_file": [["/", True]]}, ROW, 1500.0, False),
        ({}, ROW, 2000.0, True),
        ({}, ROW, 999.0, True),
        ({"every_call": True}, ROW, 1500.0, True),
        ({"at_time": None, "at_call": None}, ROW | {"call_index": 10**6}, 1e12, False),
    ],
)
def test_plan_is_due_by_calls_streaks_and_time(changed, row, now, due):
    assert schedule.is_due(PLAN | changed, row, now=now) is due


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        [],
        {},
        PLAN | {"at_streak": 3},
        PLAN | {"at_call": "x"},
        PLAN | {"at_repeats": "x"},
        PLAN | {"at_streak": [[1]]},
    ],
)
def test_missing_or_damaged_plan_is_due(damaged):
    assert schedule.is_due(damaged, ROW | {"streak": 9})


TRIGGERS = st.builds(
    ObserverTrigger,
    every_n_calls=st.none() | st.integers(1, 12),
    after_consecutive_errors=st.none() | st.integers(1, 4),
    every_n_seconds=st.none() | st.integers(1, 9).map(float),
    on_every_call=st.booleans(),
    after_repeats=st.none() | st.integers(1, 6),
)


@given(
    st.lists(st.tuples(TRIGGERS, st.sampled_from(["", "odd"]), st.booleans()), max_size=3),
    st.lists(st.tuples(st.booleans(), st.integers(-3, 5)), max_size=30),
)
def test_call_that_the_plan_calls_quiet_is_one_at_which_no_observer_runs(tmp_path_factory, observers, calls):
    watchers = [Watcher(f"w{n}", says=says) for n, (_, says, _) in enumerate(observers)]
    configs = [
        ObserverConfig(watcher, trigger, tell=tell)
        for watcher, (trigger, _, tell) in zip(watchers, observers, strict=True)
    ]
    run = Run(tmp_path_factory.getbasetemp(), *configs)
    made: dict[str, object] | None = None
    for succeeds, pause in calls:
        asked = [len(watcher.asked) + len(watcher.ran) for watcher in watchers]
        run.call(ok() if succeeds else failed(), after=float(pause))
        latest = run.session[ToolCallRecord].latest()
        assert latest
        if made and not schedule.is_due(made, record.to_row(latest), now=run.now.timestamp()):
            assert [len(watcher.asked) + len(watcher.ran) for watcher in watchers] == asked
        made = schedule.make(configs, run.session, run.now)
    assert run.now <= START + timedelta(seconds=200)


@pytest.mark.parametrize(("least_calls", "at_call"), [(0, 3), (2, 3), (25, 25)])
def test_observer_that_needs_more_calls_is_not_due_before_there_are_so_many(tmp_path, least_calls, at_call):
    watcher = Watcher("w", says="")
    watcher.least_calls = least_calls  # type: ignore[attr-defined]  # what observers may have
    configs = [ObserverConfig(watcher, ObserverTrigger(every_n_calls=3))]
    run = Run(tmp_path, *configs)
    run.call(ok())

    assert schedule.make(configs, run.session, run.now)["at_call"] == at_call
