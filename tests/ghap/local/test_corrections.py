"""What "resolve" means where no entry is active."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ghap.local import Journal, NoActiveGHAPError, OutcomeStatus, ResolvedBeforeError
from ghap.local.corrections import resolve
from tests.support.laptops.journals import create

FALSIFIED, CONFIRMED = OutcomeStatus.FALSIFIED, OutcomeStatus.CONFIRMED


def test_active_entry_is_resolved(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    active = create(journal)
    entry, said = resolve(journal, CONFIRMED, "r", {})
    assert (entry.id, said) == (active.id, f"Resolved {active.id} as confirmed.")


def test_entry_that_its_check_resolved_is_corrected(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.resolve_by_check(create(journal).id, FALSIFIED, "1 failed")
    entry, said = resolve(journal, CONFIRMED, "r", {})
    assert said == f"{entry.id} is now confirmed; its check had called it falsified, which its history keeps."
    assert resolve(journal, CONFIRMED, "r2", {"surprise": "s"})[1].startswith(f"{entry.id} was resolved as confirmed")


def test_entry_that_the_agent_resolved_is_only_added_to_unless_it_is_named(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    active = create(journal)
    resolve(journal, FALSIFIED, "r", {})
    for status, learned in ((CONFIRMED, {"surprise": "s"}), (FALSIFIED, {})):
        with pytest.raises(ResolvedBeforeError, match=rf"{active.id} \(g\), was resolved as falsified"):
            resolve(journal, status, "r", learned)  # type: ignore[arg-type]
    assert resolve(journal, FALSIFIED, "r", {"surprise": "s"})[0].surprise == "s"
    entry, said = resolve(journal, CONFIRMED, "r", {}, entry_id=active.id)
    assert said == f"{entry.id} is now confirmed; you had called it falsified, which its history keeps."


def test_entry_of_another_session_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "theirs")
    journal = Journal(tmp_path)
    entry = journal.resolve_by_check(create(journal).id, FALSIFIED, "1 failed")
    with pytest.raises(NoActiveGHAPError):
        resolve(journal, CONFIRMED, "r", {}, session="mine")
    assert journal.get_session_entries() == [replace(entry) if entry else None]
    assert resolve(journal, CONFIRMED, "r", {}, session="theirs")[0].agent_session == "theirs"
