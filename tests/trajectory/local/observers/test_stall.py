"""StallDetector: tools by name, and the share of failures."""

from __future__ import annotations

from tests.support.rows.tool_calls import START, context_of, failed, ok, session_of
from trajectory.local import Assessment, Observation, StallDetector


def observe(*calls, **settings) -> Assessment:
    session = session_of(*calls)
    return StallDetector(**settings).observe(session, context=context_of(session))


def test_same_tool_three_times_in_ten_is_a_caution_with_its_calls():
    others = [ok(f"tool{n}") for n in range(7)]
    assert observe(*others, *[ok("edit_file", "path=a.py")] * 3) == Assessment(
        observer_name="Stall Detector",
        summary="Detected repetitive tool usage in recent activity. Review observations below.",
        observations=(
            Observation(
                "Repetitive Pattern",
                "Tool `edit_file` called 3 times in last 10 calls.",
                "#8: edit_file(path=a.py)\n#9: edit_file(path=a.py)\n#10: edit_file(path=a.py)",
            ),
        ),
        suggestions=(
            "Consider a different approach - repeated `edit_file` calls suggest the current strategy isn't working.",
        ),
        severity="caution",
        timestamp=START,
        identity="edit_file",
    )


def test_same_tool_six_times_in_ten_is_a_warning():
    assert observe(*[ok(f"tool{n}") for n in range(4)], *[ok()] * 6).severity == "warning"


def test_seven_failures_in_ten_are_a_warning_and_five_a_caution():
    tools = [f"tool{n}" for n in range(10)]
    severities = {n: observe(*[failed(t) for t in tools[:n]], *[ok(t) for t in tools[n:]]).severity for n in (4, 5, 7)}
    assert severities == {4: "info", 5: "caution", 7: "warning"}


def test_two_repeated_tools_are_summarised_once():
    assessment = observe(*[ok("a"), ok("b")] * 5)
    assert assessment.summary == "Detected repetitive tool usage in recent activity. Review observations below."
    assert len(assessment.observations) == 2


def test_description_names_the_calls_there_were_not_the_size_of_the_window():
    assert observe(ok(), ok(), ok()).observations[0].description == "Tool `Read` called 3 times in last 3 calls."


def test_errors_cited_are_the_last_five_in_ascending_order():
    assessment = observe(*[failed(f"t{n}", error=f"e{n}") for n in range(8)])
    assert assessment.observations[-1].evidence == "\n".join(f"#{n + 1}: t{n} - e{n}" for n in range(3, 8))


def test_rejections_are_no_failures():
    rejected = [failed(f"t{n}", outcome="rejection") for n in range(10)]
    assert observe(*rejected) == Assessment(
        "Stall Detector", "No concerning patterns detected. Progress appears normal.", timestamp=START
    )


def test_no_calls_are_no_finding():
    assert observe().says_something is False


def test_it_wants_a_window_of_calls_since_it_last_ran():
    session = session_of(ok())
    wants = [StallDetector().should_run(session, context=context_of(session, since=n)) for n in (9, 10)]
    assert wants == [False, True]
