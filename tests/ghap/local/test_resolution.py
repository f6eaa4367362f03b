"""How an entry gets its outcome."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from ghap.local import ConfidenceTier, GHAPEntry, InvalidEntryError, Lesson, OutcomeStatus, RootCause, resolution
from ghap.local.lines import Line
from tests.ghap.local.samples import body


@pytest.fixture
def entry() -> GHAPEntry:
    return GHAPEntry.from_dict(body(outcome=None, confidence_tier=None, surprise="before"))


def test_outcome_is_captured_now_in_utc() -> None:
    before = datetime.now(UTC)
    outcome = resolution.outcome(OutcomeStatus.CONFIRMED, "r\0")
    assert before <= outcome.captured_at <= datetime.now(UTC)
    assert (outcome.status, outcome.result, outcome.auto_captured) == (OutcomeStatus.CONFIRMED, "r\ufffd", False)


@pytest.mark.parametrize(
    ("status", "auto_captured", "tier"),
    [
        (OutcomeStatus.CONFIRMED, True, ConfidenceTier.GOLD),
        (OutcomeStatus.FALSIFIED, False, ConfidenceTier.SILVER),
        (OutcomeStatus.ABANDONED, True, ConfidenceTier.ABANDONED),
    ],
)
def test_resolved_entry_has_its_tier_and_the_original_is_unchanged(
    entry: GHAPEntry, status: OutcomeStatus, auto_captured: bool, tier: ConfidenceTier
) -> None:
    resolved = resolution.resolved(entry, resolution.outcome(status, "r", auto_captured=auto_captured))
    assert resolved.confidence_tier is tier
    assert (entry.outcome, entry.confidence_tier) == (None, None)


def test_what_was_learned_replaces_and_the_rest_stays(entry: GHAPEntry) -> None:
    outcome = resolution.outcome(OutcomeStatus.FALSIFIED, "r")
    assert resolution.resolved(entry, outcome).surprise == "before"
    learned = resolution.learned("", RootCause("Wrong Scope", "d"), Lesson("w"))
    resolved = resolution.resolved(entry, outcome, **learned)
    assert (resolved.surprise, resolved.root_cause, resolved.lesson) == ("", RootCause("wrong-scope", "d"), Lesson("w"))


def test_only_fields_that_are_set_are_learned() -> None:
    assert resolution.learned(None, None, None) == {}
    assert resolution.learned("s", None, None) == {"surprise": "s"}


@pytest.mark.parametrize(
    ("category", "word"),
    [
        ("Wrong Assumption", "wrong-assumption"),
        ("  timing_issue! ", "timing-issue"),
        ("a-b", "a-b"),
        ("2nd try", "2nd-try"),
    ],
)
def test_category_becomes_one_kebab_case_word(category: str, word: str) -> None:
    assert resolution.kebab(category) == word


@pytest.mark.parametrize("category", ["", "!", "é", None])
def test_category_without_a_word_is_refused(category: Any) -> None:
    with pytest.raises(InvalidEntryError, match="root cause category"):
        resolution.kebab(category)


def test_unreadable_lines_are_logged_with_their_number(entry: GHAPEntry, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        resolution.warn_unreadable([Line(b"x", entry), Line(b"{", None, "half an object")])
    assert [record.getMessage() for record in caplog.records] == [
        "entry 2 of the session cannot be read and is skipped: half an object"
    ]
