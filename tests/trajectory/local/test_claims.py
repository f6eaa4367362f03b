"""What a finding says is true of the calls that it cites, word for word, whatever the calls were."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.rows.tool_calls import START, Run
from tests.trajectory.local import twins
from trajectory.local import (
    Assessment,
    Cycle,
    EditTestLoop,
    EditThrash,
    ErrorCascadeDetector,
    ErrorRateMonitor,
    NoChange,
    NoEffect,
    ObserverConfig,
    ObserverTrigger,
    Poll,
    Recreated,
    RepeatCall,
    Rereading,
    SameError,
    Stagnation,
    TestTrend,
    ToolCallRecord,
    outcome,
    replay,
)
from trajectory.local.observers import window

Records = Sequence[ToolCallRecord]
OBSERVERS = (
    *(RepeatCall(6, 2), Poll(2), Cycle(3, 2, 2), Stagnation(8, 2, 4), SameError(12, 2), EditThrash(1)),
    *(EditTestLoop(12, 2), NoEffect(2), Recreated(2, 2), Rereading(20, 2, 2), TestTrend(2)),
    *(ErrorCascadeDetector(2), ErrorRateMonitor(6, 0.5, 3), NoChange(3, 5, 4)),
)
CONFIGS = [ObserverConfig(observer, ObserverTrigger(on_every_call=True)) for observer in OBSERVERS]


def number_in(text: str, pattern: str) -> int:
    match = re.search(pattern, text)
    assert match, text
    return int(match[1])


def same_calls(cited: Records) -> bool:
    return len({(record.tool_name, record.args_hash) for record in cited}) == 1


def same_results(cited: Records) -> bool:
    return len({record.result_key for record in cited}) == 1


def within(cited: Records, records: Records) -> Records:
    first, last = cited[0].call_index, cited[-1].call_index
    return [record for record in records if first <= record.call_index <= last]


def repeated(finding: Assessment, cited: Records, records: Records) -> None:
    assert same_calls(cited)
    assert same_results(cited)
    made = [record for record in records if same_calls([record, cited[-1]]) and same_results([record, cited[-1]])]
    assert window.decisions(cited) <= number_in(finding.summary, r" (\d+) times") <= len(made)
    assert (" failed " in finding.summary) == all(record.failed for record in cited)


def polled(finding: Assessment, cited: Records, records: Records) -> None:
    assert same_calls(cited)
    assert same_results(
        [*cited, *(record for record in within(cited, records) if same_calls([record, cited[0]]) and record.counts)]
    )
    assert window.decisions(cited) == number_in(finding.summary, r"asked (\d+) times")


def cycled(finding: Assessment, cited: Records, records: Records) -> None:
    period, rounds = number_in(finding.summary, r"same (\d+) calls"), number_in(finding.summary, r"made (\d+) times")
    assert len(cited) == period * rounds
    by_place = [cited[place::period] for place in range(period)]
    assert all(map(same_calls, by_place))
    if "same result" in finding.summary:
        assert all(map(same_results, by_place))
        assert all(record.result_key for record in cited)
    assert [record for record in within(cited, records) if record.counts and record not in cited] == []


def stagnated(finding: Assessment, cited: Records, records: Records) -> None:
    assert len({record.tool_name for record in cited}) == 1
    assert same_results(cited)
    assert len(cited) == number_in(finding.summary, r"to (\d+) calls")
    distinct = len({record.args_hash for record in cited})
    words = "different" if distinct == len(cited) else f"{distinct} different"
    assert f"calls with {words} arguments" in finding.summary


def same_error(finding: Assessment, cited: Records, records: Records) -> None:
    assert all(record.failed for record in cited)
    assert len({record.error_key for record in cited}) == 1
    distinct = len({(record.tool_name, record.args_hash or record.params_summary) for record in cited})
    words = "different calls" if distinct == len(cited) else f"calls, {distinct} different ones,"
    assert finding.summary == f"{len(cited)} {words} have failed with the same error."


def thrashed(finding: Assessment, cited: Records, records: Records) -> None:
    path = finding.summary.split("`")[1]
    assert all(any(edit[0] == path for edit in record.edits) for record in cited)
    assert number_in(finding.summary, r"same state (\d+) times") < len(cited)


def looped(finding: Assessment, cited: Records, records: Records) -> None:
    assert same_calls(cited)
    assert same_results(cited)
    assert all(record.went_wrong for record in cited)
    assert len(cited) == number_in(finding.summary, r"failed (\d+) times")
    assert any(record.changes or record.kind == "write" for record in within(cited, records))


def without_effect(finding: Assessment, cited: Records, records: Records) -> None:
    assert same_calls(cited)
    assert same_results(cited)
    if finding.summary.startswith("The last"):
        runs = [record for record in within(cited, records) if same_calls([record, cited[0]]) and record.counts]
        assert same_results(runs)
    else:
        assert len(cited) == number_in(finding.summary, r"same in (\d+) of")


def recreated(finding: Assessment, cited: Records, records: Records) -> None:
    made, removed = cited[::2], cited[1::2]
    assert len(made) == len(removed) == number_in(finding.summary, r"removed (\d+) times")
    assert all(record.paths for record in made)
    assert all(record.removes for record in removed)
    if "same result" in finding.summary:
        lasts = []
        for first, last in zip(made, removed, strict=True):
            runs = [each for each in window.between(first, last, records) if each.kind == "command" and each.counts]
            lasts.append([run for run in runs if not (run.looks or run.changes)][-1])
        assert same_results(lasts)


def reread(finding: Assessment, cited: Records, records: Records) -> None:
    groups: dict[tuple[str, str, str], list[ToolCallRecord]] = {}
    for record in cited:
        groups.setdefault((record.tool_name, record.args_hash, record.result_key), []).append(record)
    assert len(groups) == number_in(finding.summary, r"(\d+) things")
    assert min(map(window.decisions, groups.values())) == number_in(finding.summary, r"(\d+) times or more")
    assert not any(record.changes for record in within(cited, records) if record.counts)


def trended(finding: Assessment, cited: Records, records: Records) -> None:
    assert same_calls(cited)
    counts = [record.failures or 0 for record in cited]
    assert f": {' → '.join(map(str, counts))} over {len(counts)} runs" in finding.summary
    assert counts == sorted(counts)


def cascaded(finding: Assessment, cited: Records, records: Records) -> None:
    assert all(record.failed for record in cited)
    between = within(cited, records)
    assert [record for record in between if record.outcome in outcome.SUCCESSES and not record.failures] == []
    assert len({record.turn for record in between}) == 1
    said = finding.headline or finding.summary
    if "rounds of calls" not in said:
        assert number_in(said, r"(\d+) calls failed in a row") == len(cited)


def high_rate(finding: Assessment, cited: Records, records: Records) -> None:
    assert all(record.failed for record in cited)
    assert len(cited) == number_in(finding.summary, r"^(\d+) of ")
    others = number_in(finding.summary, r"of (\d+) recent") - len(cited)
    assert others <= len([record for record in records if record.counts and record not in cited])


def only_read(finding: Assessment, cited: Records, records: Records) -> None:
    assert all(record.looks for record in cited)
    assert not any(record.changes for record in within(cited, records) if record.counts)
    if "have only read" in finding.summary:
        assert len(cited) == number_in(finding.summary, r"^(\d+) calls")


CLAIMS: dict[str, Callable[[Assessment, Records, Records], None]] = {
    "Repeated Call": repeated,
    "Polling": polled,
    "Cycle": cycled,
    "Stagnation": stagnated,
    "Same Error": same_error,
    "Edit Thrash": thrashed,
    "Edit-Test Loop": looped,
    "Edits Without Effect": without_effect,
    "Recreated File": recreated,
    "Read Again": reread,
    "Test Trend": trended,
    "Error Cascade Detector": cascaded,
    "Error Rate Monitor": high_rate,
    "No Change": only_read,
}


def check(finding: Assessment, records: Records) -> None:
    cited = [record for record in records if record.call_index in set(finding.calls)]
    assert len(cited) == len(finding.calls)
    CLAIMS[finding.observer_name](finding, cited, records)


def made(kind: str, came_out: str, **fields: object) -> ToolCallRecord:
    is_ok = came_out == outcome.OK
    flags = {"changes": kind == "write" and is_ok, "looks": kind == "read"}
    edits = (("a.py", "A", "B"),) if fields["args_hash"] == "1" else (("a.py", "B", "A"),)
    removes = ("a.py",) if kind == "command" and fields["args_hash"] == "3" else ()
    return ToolCallRecord(
        {"write": "Edit", "read": "Read", "command": "Bash"}[kind],
        f"{kind} {fields['args_hash']}",
        came_out in outcome.SUCCESSES,
        **fields | flags,  # type: ignore[arg-type]
        error_message="boom" if came_out == outcome.ERROR else None,
        error_key="e" if came_out == outcome.ERROR else "",
        kind=kind,
        outcome=came_out,
        timestamp=START,
        paths=("a.py",) if kind != "command" else (),
        edits=edits if flags["changes"] else (),
        removes=removes,
    )


CALLS = st.builds(
    made,
    kind=st.sampled_from(["write", "read", "command", "command"]),
    came_out=st.sampled_from([*sorted(outcome.OUTCOMES), *["error"] * 6, *["ok"] * 4]),
    args_hash=st.sampled_from(["1", "2", "3"]),
    result_key=st.sampled_from(["", "x", "x", "y"]),
    batch_id=st.sampled_from(["", "", "", "b"]),
    says=st.sampled_from(["", "", "failure"]),
    polls=st.sampled_from([False, False, False, True]),
    failures=st.sampled_from([None, None, None, 0, 2, 3]),
    failing=st.just("f"),
    turn=st.sampled_from(["", "", "", "", "", "t"]),
)


@settings(max_examples=examples(50))
@given(st.lists(CALLS, min_size=6, max_size=30))
def test_each_sentence_is_true_of_any_calls(tmp_path_factory, calls) -> None:
    run = Run(tmp_path_factory.mktemp("claims"), *CONFIGS)
    for call in calls:
        run.call(call)
        for memory in run.session.progress.values():
            if memory.standing:
                check(memory.standing, run.session[ToolCallRecord].all())
    assert [memory.last_failure for memory in run.session.progress.values() if memory.failures] == []


@pytest.mark.parametrize("pair", twins.PAIRS, ids=lambda pair: pair.name)
def test_each_sentence_is_true_of_the_runs_that_are_stuck(pair: twins.Pair) -> None:
    done = replay.run(pair.stuck, configs=pair.configs)
    records = done.session[ToolCallRecord].all()
    checked = [finding for _, finding in done.noted if finding.observer_name in CLAIMS]
    for finding in checked:
        check(finding, records)
    assert checked or pair.speaks not in CLAIMS
