from __future__ import annotations

import pytest

from ghap.axes import axis_texts, payload
from tests.support.rows.ghap_entries import BORN, RESOLVED, body, entry, falsified_entry

PAYLOAD = {
    "ghap_id": "ghap_20261120_143022_a1b2c3",
    "session_id": "session_20261120_140000_d4e5f6",
    "created_at": BORN.timestamp(),
    "captured_at": RESOLVED.timestamp(),
    "domain": "debugging",
    "strategy": "systematic-elimination",
    "outcome_status": "confirmed",
    "confidence_tier": "silver",
    "iteration_count": 2,
}


def test_confirmed_entry_has_the_full_and_the_strategy_axis() -> None:
    assert axis_texts(entry()) == {
        "full": (
            "Goal: Stop the export from hanging\n"
            "Hypothesis: It waits for a lock\n"
            "Action: Set lock_timeout\n"
            "Prediction: It fails within a minute\n"
            "Outcome: confirmed - Lock timeout after 30 s"
        ),
        "strategy": (
            "Strategy: systematic-elimination\n"
            "Applied to: Stop the export from hanging\n"
            "Outcome: confirmed after 2 iteration(s)"
        ),
    }


def test_falsified_entry_with_everything_has_all_four() -> None:
    assert axis_texts(falsified_entry()) == {
        "full": (
            "Goal: Stop the export from hanging\n"
            "Hypothesis: It waits for a lock\n"
            "Action: Set lock_timeout\n"
            "Prediction: It fails within a minute\n"
            "Outcome: falsified - It still hung\n"
            "Surprise: No lock was held at all\n"
            "Lesson: Reading the kernel log"
        ),
        "strategy": (
            "Strategy: systematic-elimination\n"
            "Applied to: Stop the export from hanging\n"
            "Outcome: falsified after 2 iteration(s)\n"
            "What worked: Reading the kernel log"
        ),
        "surprise": (
            "Expected: It fails within a minute\n"
            "Actual: It still hung\n"
            "Surprise: No lock was held at all\n"
            "Root cause: wrong-assumption - The disk was full"
        ),
        "root_cause": (
            "Category: wrong-assumption\n"
            "Description: The disk was full\n"
            "Context: debugging - systematic-elimination\n"
            "Original hypothesis: It waits for a lock"
        ),
    }


def test_falsified_entry_without_root_cause_has_no_such_axis_and_no_such_line() -> None:
    texts = axis_texts(falsified_entry(root_cause=None))

    assert list(texts) == ["full", "strategy", "surprise"]
    assert texts["surprise"] == (
        "Expected: It fails within a minute\nActual: It still hung\nSurprise: No lock was held at all"
    )


def test_blank_field_leaves_its_line_out() -> None:
    assert axis_texts(falsified_entry(surprise="  "))["surprise"] == (
        "Expected: It fails within a minute\nActual: It still hung\nRoot cause: wrong-assumption - The disk was full"
    )


def test_abandoned_entry_with_a_root_cause_has_no_axis_of_failure() -> None:
    abandoned = falsified_entry(
        outcome={"status": "abandoned", "result": "session ended", "captured_at": "2026-11-20T14:50:00Z"}
    )

    assert list(axis_texts(abandoned)) == ["full", "strategy"]


def test_text_with_braces_is_put_in_as_it_is() -> None:
    assert axis_texts(entry(goal="Fix {goal} in {}"))["strategy"].splitlines()[1] == "Applied to: Fix {goal} in {}"


@pytest.mark.parametrize("axis", ["full", "strategy"])
def test_payload_of_an_axis_of_all_entries_has_exactly_these_fields(axis: str) -> None:
    assert payload(entry(), axis) == PAYLOAD


@pytest.mark.parametrize("axis", ["surprise", "root_cause"])
def test_payload_of_an_axis_of_failure_has_the_category_too(axis: str) -> None:
    assert payload(falsified_entry(), axis) == {
        **PAYLOAD,
        "outcome_status": "falsified",
        "root_cause_category": "wrong-assumption",
    }


def test_unresolved_entry_is_refused() -> None:
    with pytest.raises(ValueError, match="^Entry must be resolved$"):
        axis_texts(entry(outcome=None))
    with pytest.raises(ValueError, match="^Entry must be resolved$"):
        payload(entry(outcome=None), "full")


@pytest.mark.parametrize("result", ["", " \n"], ids=["empty", "blank"])
def test_blank_result_keeps_the_status_on_the_full_axis(result: str) -> None:
    outcome = {**body()["outcome"], "result": result}

    assert axis_texts(entry(outcome=outcome))["full"].splitlines()[-1] == "Outcome: confirmed"


def test_blank_description_keeps_the_category_on_the_surprise_axis() -> None:
    texts = axis_texts(falsified_entry(root_cause={"category": "oversight", "description": ""}))

    assert texts["surprise"].splitlines()[-1] == "Root cause: oversight"
