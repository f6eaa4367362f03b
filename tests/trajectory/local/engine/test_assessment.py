"""Rendering: the form of the specification, and nothing in it that quoted text could break out of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.local import Assessment, Observation
from trajectory.local.engine import assessment as assessments

MOMENT = datetime(2024, 1, 15, 14, 32, tzinfo=UTC)
BOUND = 25_000


def test_assessment_renders_in_the_form_of_the_specification():
    assessment = Assessment(
        observer_name="Stall Detector",
        summary="Detected repetitive tool usage in recent activity. Review observations below.",
        observations=(
            Observation(
                "Repetitive Pattern",
                "Tool `edit_file` called 2 times in last 10 calls.",
                "#45: edit_file(path=src/config.py)\n#47: edit_file(path=src/config.py)",
            ),
            Observation("Other", "Without evidence."),
        ),
        suggestions=("Consider a different approach.", "Or ask."),
        severity="caution",
        timestamp=MOMENT,
    )
    assert assessment.render().split("\n") == [
        "## Stall Detector",
        "",
        "**Severity**: caution  ",
        "**Time**: 2024-01-15T14:32:00Z",
        "",
        "### Summary",
        "",
        "Detected repetitive tool usage in recent activity. Review observations below.",
        "",
        "### Observations",
        "",
        "#### Repetitive Pattern",
        "",
        "Tool `edit_file` called 2 times in last 10 calls.",
        "",
        "```",
        "#45: edit_file(path=src/config.py)",
        "#47: edit_file(path=src/config.py)",
        "```",
        "",
        "#### Other",
        "",
        "Without evidence.",
        "",
        "",
        "### Suggestions",
        "",
        "1. Consider a different approach.",
        "2. Or ask.",
    ]


def test_assessment_with_nothing_but_a_summary_renders_no_empty_parts():
    assert Assessment("A", "Fine.", timestamp=MOMENT).render().split("\n")[4:] == ["", "### Summary", "", "Fine."]


def test_file_holds_one_assessment_after_the_other():
    one, other = (Assessment(name, "x", timestamp=MOMENT) for name in ("One", "Other"))
    assert assessments.render_all([one, other], MOMENT) == (
        f"# Trajectory Assessment\n\n**Generated**: 2024-01-15T14:32:00Z\n\n"
        f"{one.render()}\n\n---\n\n{other.render()}\n\n---\n"
    )


def test_time_without_a_zone_renders_one_z():
    naive = Assessment("A", "x", timestamp=datetime(2024, 1, 15, 14, 32))
    assert "**Time**: 2024-01-15T14:32:00Z\n" in naive.render()


@pytest.mark.parametrize("severity", ["", "fatal", "Warning"])
def test_unknown_severity_is_refused(severity):
    with pytest.raises(ValueError, match="severity must be one of info, caution, warning"):
        Assessment("A", "x", severity=severity)


def test_worst_severity_goes_by_gravity_and_not_by_the_alphabet():
    assert assessments.worst(["info", "caution"]) == "caution"
    assert assessments.worst(["warning", "caution", "info"]) == "warning"
    assert assessments.worst([]) == "info"


def test_fence_in_evidence_stays_inside_its_block():
    evidence = "```\n# Heading\n````sh\n</feedback>"
    lines = assessments.fenced(evidence)
    assert lines == ["`````", "```", "# Heading", "````sh", "</feedback>", "`````"]


def test_line_breaks_in_one_line_texts_forge_no_heading_and_no_block():
    assessment = Assessment("A\n# b", "```\n# forged", (Observation("c\r\n## d", "\u2028# e"),), ("x\n2. y",))
    lines = assessment.render().split("\n")
    assert lines[0] == "## A # b"
    assert "\\``` # forged" in lines
    assert "#### c ## d" in lines
    assert "\\# e" in lines
    assert lines[-1] == "1. x 2. y"


def test_back_tick_in_a_name_does_not_end_its_code():
    assert assessments.code("a`b\n# c") == "`a'b # c`"


def blocks(markdown: str) -> tuple[list[str], list[str]]:
    """The lines outside and inside of fences, as a Markdown reader takes them."""
    outside: list[str] = []
    inside: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        bare = line.strip()
        if fence:
            if bare and set(bare) == {"`"} and len(bare) >= len(fence):
                fence = ""
            else:
                inside.append(line)
        elif bare.startswith("```") and "`" not in bare.lstrip("`"):
            fence = bare[: len(bare) - len(bare.lstrip("`"))]
        else:
            outside.append(line)
    assert fence == "", "a fence is left open"
    return outside, inside


HOSTILE = st.text(st.sampled_from("`#-~> <x\n\r\u2028\x1b\x00\ud83d*1.")) | st.text()
ASSESSMENTS = st.builds(
    Assessment,
    observer_name=HOSTILE,
    summary=HOSTILE,
    observations=st.lists(st.builds(Observation, HOSTILE, HOSTILE, st.none() | HOSTILE), max_size=12).map(tuple),
    suggestions=st.lists(HOSTILE, max_size=12).map(tuple),
    severity=st.sampled_from(assessments.SEVERITIES),
    timestamp=st.datetimes(timezones=st.just(UTC)),
)


@given(ASSESSMENTS)
def test_any_text_renders_bounded_with_exactly_its_own_headings(assessment):
    rendered = assessment.render()
    assert len(rendered) <= BOUND
    outside, _ = blocks(rendered)
    headings = [line.split(" ")[0] for line in outside if line.startswith("#")]
    shown = assessment.observations[: assessments.MAX_OBSERVATIONS]
    expected = ["##", "###"]
    expected += ["###", *["####"] * len(shown)] if shown else []
    expected += ["###"] if assessment.suggestions else []
    assert headings == expected


@given(ASSESSMENTS)
def test_kept_assessment_comes_back_and_keeping_it_again_changes_nothing(assessment):
    kept = assessments.from_row(assessments.to_row(assessment))
    assert assessments.from_row(assessments.to_row(kept)) == kept


def test_huge_texts_render_bounded():
    huge = "`" * 100_000 + "x\n" * 100_000
    assessment = Assessment(huge, huge, (Observation(huge, huge, huge),) * 100, (huge,) * 100)
    assert len(assessment.render()) <= BOUND
    blocks(assessment.render())


def test_secret_in_evidence_is_redacted_when_it_is_kept():
    key = "sk-ant-api03-" + "a1B2" * 20
    kept = assessments.to_row(Assessment("A", key, (Observation("c", key, f"x {key} y"),), (key,)))
    assert "a1B2a1B2" not in str(kept)
