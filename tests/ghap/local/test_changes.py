"""Changes to an active entry."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ghap.local import GHAPEntry, InvalidEntryError, Strategy
from ghap.local.changes import Changes, checked
from tests.ghap.local.samples import body

NAMES = ("hypothesis", "action", "prediction", "strategy", "note", "check")


def changes(**values: Any) -> Changes:
    return checked(*(values.get(name) for name in NAMES))


@pytest.fixture
def entry() -> GHAPEntry:
    return GHAPEntry.from_dict(body(outcome=None, confidence_tier=None, check="make"))


def test_no_change_at_all_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="nothing to update"):
        changes()


@pytest.mark.parametrize("name", NAMES)
def test_value_of_the_wrong_type_is_refused(name: str) -> None:
    with pytest.raises(InvalidEntryError, match=f"^{name} "):
        changes(**{name: 1})


def test_changed_text_starts_an_iteration(entry: GHAPEntry) -> None:
    before = datetime.now(UTC)
    changed = changes(action="Use a key").apply(entry)
    assert (changed.action, changed.iteration_count) == ("Use a key", 2)
    (past,) = changed.history
    assert (past.timestamp, past.action) == (entry.created_at, entry.action)
    assert changed.current_since is not None
    assert changed.current_since >= before
    assert (entry.history, entry.iteration_count) == ([], 1)


def test_same_texts_change_nothing(entry: GHAPEntry) -> None:
    assert changes(hypothesis=entry.hypothesis, action=entry.action, prediction=entry.prediction).apply(entry) == entry


def test_note_strategy_and_check_start_no_iteration(entry: GHAPEntry) -> None:
    changed = changes(note="n", strategy=Strategy.ASK_USER, check=" ").apply(entry)
    assert (changed.notes, changed.strategy, changed.check) == (["n"], Strategy.ASK_USER, None)
    assert (changed.history, changed.iteration_count, changed.current_since) == ([], 1, None)
