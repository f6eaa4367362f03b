"""An outcome is corrected after the entry was resolved."""

from __future__ import annotations

from pathlib import Path

import pytest

from ghap.local import ConfidenceTier, GHAPEntry, Journal, NoSuchEntryError, OutcomeStatus
from ghap.local.rendering import render
from ghap.local.sync import sync_journal
from tests.support.fakes.journal_server import Server
from tests.support.laptops.journals import create, resolve, run


def by_check(folder: Path) -> GHAPEntry:
    journal = Journal(folder)
    entry = journal.resolve_by_check(create(journal).id, OutcomeStatus.FALSIFIED, "1 failed")
    assert entry is not None
    return entry


def test_other_status_replaces_the_outcome_and_keeps_the_earlier_one(tmp_path: Path) -> None:
    before = by_check(tmp_path)
    server = Server()
    sync_journal(tmp_path, "p", server)

    after = Journal(tmp_path).correct_ghap(OutcomeStatus.CONFIRMED, "the import was missing", surprise="s")

    assert after.outcome is not None
    assert (after.outcome.status, after.outcome.result) == (OutcomeStatus.CONFIRMED, "the import was missing")
    assert (after.outcome.auto_captured, after.confidence_tier) == (False, ConfidenceTier.SILVER)
    assert (after.earlier_outcomes, after.surprise) == ([before.outcome], "s")
    assert Journal(tmp_path).get_all_entries() == [GHAPEntry.from_json(after.to_json())] == [after]
    sync_journal(tmp_path, "p", server)
    assert server.stored[before.id]["outcome"]["status"] == "confirmed"
    assert server.stored[before.id]["earlier_outcomes"] == [before.outcome and before.outcome.to_dict()]
    assert "before: falsified (by its check)" in render(after)


def test_same_status_adds_the_words_and_keeps_the_tier(tmp_path: Path) -> None:
    before = by_check(tmp_path)
    after = run(tmp_path, *[lambda journal: journal.correct_ghap(OutcomeStatus.FALSIFIED, "two locks")] * 2)
    assert after.outcome.result == "two locks\n\n1 failed"
    assert (after.outcome.captured_at, after.earlier_outcomes) == (before.outcome and before.outcome.captured_at, [])
    assert after.confidence_tier is ConfidenceTier.GOLD


def test_entry_named_is_corrected_and_one_that_is_not_there_is_refused(tmp_path: Path) -> None:
    first = by_check(tmp_path)
    run(tmp_path, create, resolve)
    Journal(tmp_path).correct_ghap(OutcomeStatus.CONFIRMED, "r", entry_id=first.id)
    statuses = [entry.outcome and entry.outcome.status.value for entry in Journal(tmp_path).get_session_entries()]
    assert statuses == ["confirmed", "confirmed"]
    with pytest.raises(NoSuchEntryError):
        Journal(tmp_path).correct_ghap(OutcomeStatus.CONFIRMED, "r", entry_id="ghap_other")
