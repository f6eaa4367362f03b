"""Execution: who runs when, what is in the file, and that nothing an observer does breaks a call."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from tests.support.rows.tool_calls import START, Run, failed, ok, session_of
from trajectory.local import (
    Assessment,
    ErrorCascadeDetector,
    Observation,
    ObserverConfig,
    ObserverContext,
    ObserverState,
    ObserverTrigger,
    RecordToolCall,
    Session,
    Severity,
    StallDetector,
    run_observers,
)
from trajectory.local.replay import MemoryFilesystem

FILE = ".wink/trajectory/assessment.md"
CASCADE = ObserverConfig(ErrorCascadeDetector(), ObserverTrigger(after_consecutive_errors=3))


@dataclass
class Watcher:
    """Says what it is told to say, and remembers at which calls it was asked."""

    name: str = "Watcher"
    wants: bool = True
    says: str = ""
    severity: Severity = "caution"
    asked: list[int] = field(default_factory=list)
    ran: list[int] = field(default_factory=list)
    states: list[ObserverState] = field(default_factory=list)

    def should_run(self, session, *, context):
        self.asked.append(context.recent_tool_calls(1)[0].call_index)
        self.states.append(context.observer_state)
        return self.wants

    def observe(self, session, *, context):
        self.ran.append(context.recent_tool_calls(1)[0].call_index)
        if not self.says:
            return Assessment(self.name, "Progress appears normal.", timestamp=context.now)
        said = (Observation(self.says, "Seen.", "#1: evidence"),)
        return Assessment(self.name, self.says, said, severity=self.severity, timestamp=context.now)


def every(n: int, watcher: Watcher, **more) -> ObserverConfig:
    return ObserverConfig(watcher, ObserverTrigger(every_n_calls=n), **more)


def test_observer_whose_should_run_says_no_is_not_run_and_asked_again(tmp_path):
    watcher = Watcher(wants=False)
    Run(tmp_path, every(3, watcher)).calls(*[ok()] * 5)
    assert (watcher.asked, watcher.ran) == ([3, 4, 5], [])


def test_frequent_observer_does_not_starve_a_rare_one(tmp_path):
    often, seldom = Watcher("often"), Watcher("seldom")
    Run(tmp_path, every(5, often), every(10, seldom)).calls(*[ok()] * 40)
    assert (often.ran, seldom.ran) == ([5, 10, 15, 20, 25, 30, 35, 40], [10, 20, 30, 40])


def test_two_observers_of_one_name_keep_their_own_counts(tmp_path):
    one, other = Watcher("Same"), Watcher("Same")
    Run(tmp_path, every(2, one), every(3, other)).calls(*[ok()] * 6)
    assert (one.ran, other.ran) == ([2, 4, 6], [3, 6])


def test_cascade_does_not_starve_the_stall_detector(tmp_path):
    run = Run(tmp_path, ObserverConfig(StallDetector(), ObserverTrigger(every_n_calls=10)), CASCADE)
    run.calls(*[failed()] * 10)
    assert "## Stall Detector" in run.written()
    assert "## Error Cascade Detector" in run.written()


def test_observer_sees_its_own_counters_and_the_session_the_totals(tmp_path):
    often, seldom = Watcher("often"), Watcher("seldom")
    run = Run(tmp_path, every(2, often), every(3, seldom))
    run.calls(*[ok()] * 5)
    assert seldom.states == [ObserverState(3, None, 0, 0)]
    assert often.states == [ObserverState(2, None, 0, 0), ObserverState(2, START + timedelta(seconds=2), 2, 1)]
    assert run.session[ObserverState].latest() == ObserverState(1, START + timedelta(seconds=4), 4, 3)


def test_error_trigger_fires_once_for_each_streak(tmp_path):
    watcher = Watcher()
    config = ObserverConfig(watcher, ObserverTrigger(after_consecutive_errors=3))
    Run(tmp_path, config).calls(*[failed()] * 8, ok(), *[failed()] * 4)
    assert watcher.ran == [3, 12]


def test_streak_that_another_trigger_saw_growing_still_fires_at_its_length(tmp_path):
    watcher = Watcher()
    config = ObserverConfig(watcher, ObserverTrigger(every_n_calls=2, after_consecutive_errors=3))
    Run(tmp_path, config).calls(*[failed()] * 3)
    assert watcher.ran == [2, 3]


def test_time_trigger_runs_without_any_earlier_assessment(tmp_path):
    watcher = Watcher()
    run = Run(tmp_path, ObserverConfig(watcher, ObserverTrigger(every_n_seconds=150)))
    for _ in range(9):
        run.call(ok(), after=60)
    assert watcher.ran == [4, 7]


def test_one_failing_batch_is_no_cascade(tmp_path):
    run = Run(tmp_path, CASCADE)
    assert run.calls(*[failed(batch_id="b")] * 5) == []
    assert run.written() == ""


def test_nothing_is_written_where_there_is_nothing_to_say(tmp_path):
    Run(tmp_path, every(1, Watcher())).calls(*[ok()] * 5)
    assert list(tmp_path.iterdir()) == []


def test_benign_run_of_one_does_not_erase_what_stands_of_another(tmp_path):
    run = Run(tmp_path, CASCADE, every(1, Watcher("Quiet")))
    run.calls(*[failed()] * 4)
    assert run.written().count("## Error Cascade Detector") == 1
    assert "Quiet" not in run.written()


def test_finding_is_taken_out_when_its_pattern_breaks(tmp_path):
    run = Run(tmp_path, CASCADE, every(4, Watcher("Other", says="odd")))
    run.calls(*[failed()] * 4)
    run.call(ok())
    assert "Error Cascade" not in run.written()
    assert "## Other" in run.written()


def test_file_is_emptied_when_nothing_stands_any_more(tmp_path):
    run = Run(tmp_path, CASCADE)
    run.calls(*[failed()] * 3)
    assert run.written() != ""
    run.call(ok())
    assert run.written() == ""


def test_recovery_leaves_the_warning_of_another_session_in_place(tmp_path):
    run, other = Run(tmp_path, CASCADE), Run(tmp_path, CASCADE)
    run.calls(*[failed(error="mine")] * 3)
    other.calls(*[failed(error="theirs")] * 3)
    run.call(ok())
    assert "theirs" in run.written()


def test_file_that_somebody_removed_comes_back_while_the_finding_stands(tmp_path):
    run = Run(tmp_path, CASCADE)
    run.calls(*[failed()] * 3)
    (tmp_path / FILE).unlink()
    run.call(failed())
    assert "## Error Cascade Detector" in run.written()


def test_standing_finding_tells_the_true_length_of_the_streak(tmp_path):
    run = Run(tmp_path, CASCADE)
    run.calls(*[failed()] * 7)
    assert "Detected 7 consecutive failures." in run.written()


def test_same_finding_is_told_at_growing_pauses_and_never_for_the_last_time(tmp_path):
    assert Run(tmp_path, CASCADE).calls(*[failed()] * 300) == [3, 23, 63, 143, 223]


def test_finding_that_gets_worse_is_told_again(tmp_path):
    watcher = Watcher(says="loop")
    run = Run(tmp_path, every(1, watcher))
    first = run.calls(ok(), ok())
    watcher.severity = "warning"
    assert (first, run.calls(ok(), ok())) == ([1], [1])


def test_finding_that_got_better_is_not_told_again(tmp_path):
    watcher = Watcher(says="loop", severity="warning")
    run = Run(tmp_path, every(1, watcher))
    run.calls(ok())
    watcher.severity = "info"
    assert run.calls(ok()) == []


def test_different_finding_of_the_same_observer_that_names_no_calls_is_told_after_a_pause(tmp_path):
    watcher = Watcher(says="loop of a")
    run = Run(tmp_path, every(1, watcher))
    run.calls(ok())
    watcher.says = "loop of b"
    assert run.calls(*[ok()] * 60) == [20, 60]


def test_two_findings_of_one_call_are_told_together_and_that_of_another_observer_at_the_next(tmp_path):
    late = Watcher("Late")
    run = Run(tmp_path, every(1, Watcher("A", says="a")), every(1, Watcher("B", says="b")), every(1, late))
    assert [one.observer_name for one in run.call(ok())] == ["A", "B"]
    late.says = "c"
    assert [[one.observer_name for one in run.call(ok())] for _ in range(2)] == [["Late"], []]


def test_graver_finding_of_another_observer_does_not_wait(tmp_path):
    late = Watcher("Late", severity="warning")
    run = Run(tmp_path, every(1, Watcher("A", says="a")), every(1, late))
    run.call(ok())
    late.says = "c"
    assert [one.observer_name for one in run.call(ok())] == ["Late"]


def test_info_is_written_and_never_told(tmp_path):
    run = Run(tmp_path, every(1, Watcher("A", says="a", severity="info")))
    assert run.calls(*[ok()] * 50) == []
    assert "## A" in run.written()


def test_new_words_of_a_person_end_the_pause(tmp_path):
    watcher = Watcher(says="loop of a")
    run = Run(tmp_path, every(1, watcher))
    run.calls(ok(turn="1"))
    watcher.says = "loop of b"
    assert run.calls(ok(turn="1"), ok(turn="2")) == [2]


def test_calls_that_the_agent_was_told_of_are_no_evidence_for_another_observer(tmp_path):
    class Counts(Watcher):
        def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
            self.ran += [context.ignore_evidence_before, 0]
            return Assessment(self.name, "Nothing.")

    other = Counts("Other")
    run = Run(tmp_path, CASCADE, ObserverConfig(other, ObserverTrigger(on_every_call=True)))
    run.calls(*[failed()] * 4)
    assert other.ran[::2] == [0, 0, 0, 3]


def test_finding_that_was_told_needs_new_calls_once_it_is_over(tmp_path):
    run = Run(tmp_path, CASCADE)
    run.calls(*[failed()] * 3, ok(), failed())
    assert run.session.progress["Error Cascade Detector"].ignore_evidence_before == 4


def test_trigger_of_a_file_runs_once_when_it_appears(tmp_path):
    watcher = Watcher()
    run = Run(tmp_path, ObserverConfig(watcher, ObserverTrigger(file_created="done.txt")))
    run.calls(ok(), ok())
    (tmp_path / "done.txt").touch()
    run.calls(ok(), ok())
    (tmp_path / "done.txt").unlink()
    run.call(ok())
    (tmp_path / "done.txt").touch()
    run.call(ok())
    assert watcher.ran == [3, 6]


def test_trigger_of_repeats_runs_at_the_call_that_was_there_before(tmp_path):
    watcher = Watcher()
    run = Run(tmp_path, ObserverConfig(watcher, ObserverTrigger(after_repeats=2)))
    run.calls(ok(args_hash="a"), ok(args_hash="b"), ok(args_hash="a"), ok("Write", args_hash="a"))
    assert watcher.ran == [3]


def test_finding_that_comes_back_soon_is_not_told_again(tmp_path):
    calls = [*[failed()] * 3, ok()] * 2
    assert Run(tmp_path, CASCADE).calls(*calls) == [3]


def test_config_that_does_not_tell_writes_and_looks_only_when_it_is_due(tmp_path):
    watcher = Watcher(says="odd")
    run = Run(tmp_path, every(3, watcher, tell=False))
    assert run.calls(*[ok()] * 7) == []
    assert watcher.ran == [3, 6]
    assert "## Watcher" in run.written()


def test_each_output_path_gets_the_findings_of_its_own_configs(tmp_path):
    run = Run(tmp_path, every(1, Watcher("A", says="a")), every(1, Watcher("B", says="b"), output_path="own/b.md"))
    run.call(ok())
    assert ("## A" in run.written(), "## B" in run.written()) == (True, False)
    assert ("## A" in run.written("own/b.md"), "## B" in run.written("own/b.md")) == (False, True)


def test_restored_session_gives_the_same_assessments_and_its_file_follows(tmp_path):
    run = Run(tmp_path, CASCADE, ObserverConfig(StallDetector(), ObserverTrigger(every_n_calls=10)))
    run.calls(*[ok()] * 6)
    before, then = run.session.snapshot(), run.now
    first = [run.call(failed()) for _ in range(6)]
    assert run.written() != ""
    run.session.restore(before)
    run.now = then
    run.call(ok())
    assert run.written() == ""
    run.session.restore(before)
    run.now = then
    assert [run.call(failed()) for _ in range(6)] == first


def test_call_without_an_answer_notifies_of_nothing_and_the_next_answer_does():
    config = ObserverConfig(ErrorCascadeDetector(), ObserverTrigger(after_consecutive_errors=3))
    session = session_of(*[failed()] * 3)
    assert run_observers(session, [config], MemoryFilesystem(), in_answer=False) == ()
    memory = session.progress[config.name]
    assert (memory.standing is not None, memory.agent_was_notified()) == (True, False)
    session.dispatch(RecordToolCall(failed()))
    assert [found.observer_name for found in run_observers(session, [config], MemoryFilesystem())] == [config.name]
    assert session.progress[config.name].told_at == 4
