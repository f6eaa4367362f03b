"""Any calls, any configs: nothing is raised, all is bounded, evidence cites calls that there were."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.rows.tool_calls import START, Run
from tests.trajectory.local.engine.test_assessment import BOUND, blocks
from tests.trajectory.local.engine.test_schedule import TRIGGERS
from trajectory.local import (
    DEFAULT_OBSERVERS,
    Cycle,
    DriftDetector,
    EditTestLoop,
    EditThrash,
    ErrorCascadeDetector,
    ErrorRateMonitor,
    FixedMessage,
    Ignored,
    NoChange,
    ObserverConfig,
    Pace,
    Poll,
    RecordToolCall,
    RepeatCall,
    SameError,
    Session,
    Stagnation,
    StallDetector,
    TestTrend,
    ToolCallRecord,
    outcome,
)
from trajectory.local.engine.assessment import MAX_OBSERVATIONS

TEXT = st.text(st.sampled_from("`#\n\r\u2028\x1b<a/.*"), max_size=60) | st.text(max_size=60)


def possible(observer: type, *settings: st.SearchStrategy) -> st.SearchStrategy:
    """Observers with these settings, but for those that can never be met, which are refused."""

    def made(values: tuple[Any, ...]) -> object:
        try:
            return observer(*values)
        except ValueError:
            return None

    return st.tuples(*settings).map(made).filter(lambda one: one is not None)


OBSERVERS = st.one_of(
    possible(StallDetector, st.integers(1, 12), st.integers(1, 5), st.floats(0, 1)),
    possible(ErrorCascadeDetector, st.integers(1, 5)),
    possible(ErrorRateMonitor, st.just(6), st.floats(0.1, 1), st.integers(1, 6)),
    possible(RepeatCall, st.integers(1, 12), st.integers(1, 4)),
    possible(Poll, st.integers(1, 4), st.none() | st.integers(1, 90), st.floats(0.1, 1)),
    possible(Cycle, st.integers(1, 4), st.integers(1, 3), st.integers(1, 3)),
    possible(Stagnation, st.integers(1, 12), st.integers(1, 4), st.integers(1, 6)),
    possible(SameError, st.integers(1, 20), st.integers(1, 4)),
    possible(EditThrash, st.integers(1, 3)),
    possible(EditTestLoop, st.integers(1, 20), st.integers(1, 3)),
    possible(TestTrend, st.integers(2, 4)),
    possible(NoChange, st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.none() | st.booleans()),
    possible(Pace, st.none() | st.integers(1, 90), st.none() | st.integers(1, 30), st.just(90), st.just(0.5)),
    possible(Ignored, st.integers(1, 3)),
    possible(FixedMessage, st.just("Look ```here``` # now")),
    possible(DriftDetector, st.frozensets(TEXT, max_size=3), st.floats(0, 1), st.sampled_from(["", "/work"])),
)
CONFIGS = st.builds(
    ObserverConfig, OBSERVERS, TRIGGERS, st.sampled_from(["a.md", ".wink/trajectory/assessment.md"]), st.booleans()
)
RECORDS = st.builds(
    lambda came_out, **fields: ToolCallRecord(
        success=came_out in outcome.SUCCESSES, outcome=came_out, timestamp=START, **fields
    ),
    came_out=st.sampled_from([*sorted(outcome.OUTCOMES), *["error"] * 6, *["ok"] * 2]),
    tool_name=st.sampled_from(["Edit", "Bash"]) | TEXT,
    params_summary=TEXT,
    error_message=st.none() | TEXT,
    call_index=st.integers(-3, 40),
    batch_id=st.sampled_from(["", "a", "b"]),
    paths=st.lists(TEXT, max_size=2).map(tuple),
    kind=st.sampled_from(["", "write", "read", "command", "other"]),
    args_hash=st.sampled_from(["", "1", "2"]),
    result_key=st.sampled_from(["", "x", "y"]),
    result_head=TEXT,
    says=st.sampled_from(["", "failure", "success", "nothing"]),
    turn=st.sampled_from(["", "", "t"]),
    changes=st.booleans(),
    looks=st.booleans(),
    polls=st.sampled_from([False, False, True]),
    edits=st.lists(
        st.tuples(st.just("a.py"), st.sampled_from(["", "A", "B"]), st.sampled_from(["A", "B"])), max_size=2
    ).map(tuple),
    failures=st.none() | st.none() | st.integers(0, 3),
    failing=st.sampled_from(["", "f"]),
    error_key=st.sampled_from(["", "e"]),
    tokens_used=st.none() | st.integers(0, 100),
    cost_used=st.none() | st.floats(0, 1),
)


@settings(max_examples=examples(35))
@given(
    st.lists(CONFIGS, min_size=1, max_size=4),
    st.lists(RECORDS, min_size=6, max_size=25),
    st.lists(st.integers(-9, 99), min_size=25),
)
def test_any_calls_and_configs_give_bounded_files_that_cite_calls_that_there_were(
    tmp_path_factory, configs, calls, pauses
):
    run = Run(tmp_path_factory.mktemp("any"), *configs)
    known: set[int] = set()
    for record, pause in zip(calls, pauses, strict=False):
        run.call(record, after=float(pause))
        latest = run.session[ToolCallRecord].latest()
        assert latest
        assert latest.call_index > max(known, default=0)
        known.add(latest.call_index)
        for memory in run.session.progress.values():
            if memory.standing:
                check(memory.standing.render(), known)
        for path in ("a.md", ".wink/trajectory/assessment.md"):
            assert len(run.written(path)) <= BOUND * 4 + 200
            blocks(run.written(path))
    assert [memory.last_failure for memory in run.session.progress.values() if memory.failures] == []
    assert run.session.write_failure == ""


def check(rendered: str, known: set[int]) -> None:
    """Bounded, its own headings only, and every line of evidence that cites a call cites one of `known`."""
    assert len(rendered) <= BOUND
    outside, inside = blocks(rendered)
    assert sum(line.startswith("## ") for line in outside) == 1
    assert sum(line.startswith("#### ") for line in outside) <= MAX_OBSERVATIONS
    cited = [int(found[1]) for line in inside if (found := re.match(r"#(\d+): ", line))]
    assert set(cited) <= known
    if not any(without in rendered for without in ("Scope Drift", "#### Message")):
        assert cited
        assert len(cited) == len(inside) or "#### First Message" in rendered


@given(st.lists(RECORDS, max_size=20), st.integers(0, 20))
def test_snapshot_restore_at_any_moment_changes_nothing(calls, moment):
    straight, restored = Session(), Session()
    for n, record in enumerate(calls):
        if n == moment:
            fresh = Session()
            fresh.restore(restored.snapshot())
            restored = fresh
        straight.dispatch(RecordToolCall(record))
        restored.dispatch(RecordToolCall(record))
    assert restored.snapshot() == straight.snapshot()


def without_time(run: Run) -> str:
    return re.sub(r"\*\*(Generated|Time)\*\*.*", "", run.written())


@settings(max_examples=examples(20))
@given(st.lists(RECORDS, min_size=1, max_size=25), st.integers(0, 25))
def test_session_restored_at_any_moment_tells_and_writes_the_same(tmp_path_factory, calls, moment):
    straight = Run(tmp_path_factory.mktemp("straight"), *DEFAULT_OBSERVERS)
    restored = Run(tmp_path_factory.mktemp("restored"), *DEFAULT_OBSERVERS)
    for n, record in enumerate(calls):
        if n == moment:
            fresh = Session()
            fresh.restore(restored.session.snapshot())
            restored.session = fresh
        assert straight.call(record) == restored.call(record)
    assert without_time(straight) == without_time(restored)
