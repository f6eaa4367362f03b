"""The life of an entry: begun, changed, resolved, abandoned; what each call promises."""

from __future__ import annotations

import logging
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ghap.local import (
    ConfidenceTier,
    Domain,
    GHAPAlreadyActiveError,
    GHAPEntry,
    InvalidEntryError,
    Journal,
    JournalLockedError,
    Lesson,
    NoActiveGHAPError,
    OutcomeStatus,
    RootCause,
    Strategy,
    active,
)
from memoryserver.common import files
from tests.ghap.local.samples import PUBLISHED_CURRENT
from tests.support.laptops.journals import Action, create, current, resolve, run


def test_missing_folder_is_made_with_a_gitignore_of_everything(tmp_path: Path) -> None:
    folder = tmp_path / "a project" / ".claude" / "journal"
    Journal(folder)
    assert (folder / ".gitignore").read_text() == "*\n"


def test_created_entry_is_active_after_a_restart(tmp_path: Path) -> None:
    entry = run(tmp_path, lambda journal: create(journal, check="pytest -x"))
    assert entry == current(tmp_path)
    assert entry.check == "pytest -x"
    assert (entry.iteration_count, entry.history, entry.notes, entry.outcome) == (1, [], [], None)
    assert entry.session_id == (tmp_path / ".session_id").read_text()
    assert GHAPEntry.from_json((tmp_path / "current_ghap.json").read_text()) == entry


def test_create_while_one_is_active_is_refused_and_says_how_to_go_on(tmp_path: Path) -> None:
    entry = run(tmp_path, create)
    with pytest.raises(GHAPAlreadyActiveError) as caught:
        run(tmp_path, lambda journal: create(journal, "other"))
    said = str(caught.value)
    assert entry.id in said
    assert entry.session_id in said
    assert [call in said for call in ("resolve_ghap", "adopt_orphan", "abandon_ghap")] == [True, False, True]
    assert current(tmp_path) == entry


def test_create_beside_an_orphan_is_refused(tmp_path: Path) -> None:
    run(tmp_path, create, lambda journal: journal.start_session())
    with pytest.raises(GHAPAlreadyActiveError):
        run(tmp_path, create)


@pytest.mark.parametrize(
    "action",
    [
        lambda journal: journal.update_ghap(note="n"),
        resolve,
        lambda journal: journal.abandon_ghap("r"),
    ],
)
def test_change_without_an_active_entry_is_refused(action: Action, tmp_path: Path) -> None:
    with pytest.raises(NoActiveGHAPError):
        run(tmp_path, action)
    with pytest.raises(NoActiveGHAPError):
        run(tmp_path, create, resolve, action)


@pytest.mark.parametrize("name", ["hypothesis", "action", "prediction"])
def test_changed_text_begins_an_iteration_and_keeps_the_past_one(name: str, tmp_path: Path) -> None:
    first = run(tmp_path, create)
    given: dict[str, Any] = {name: "new"}
    entry = run(tmp_path, lambda journal: journal.update_ghap(**given))
    assert entry.iteration_count == 2
    assert getattr(entry, name) == "new"
    (past,) = entry.history
    assert (past.hypothesis, past.action, past.prediction) == ("h", "a", "p")
    assert past.timestamp == first.created_at
    assert entry == current(tmp_path)


def test_history_says_when_each_iteration_became_current(tmp_path: Path) -> None:
    run(tmp_path, create)
    second = run(tmp_path, lambda journal: journal.update_ghap(action="a2"))
    third = run(tmp_path, lambda journal: journal.update_ghap(action="a3"))
    assert [item.timestamp for item in third.history] == [second.created_at, second.current_since]
    assert third.created_at < second.current_since < third.current_since


def test_iteration_of_a_published_file_gets_the_last_time_it_has(tmp_path: Path) -> None:
    Journal(tmp_path)
    (tmp_path / "current_ghap.json").write_text(PUBLISHED_CURRENT)
    entry = run(tmp_path, lambda journal: journal.update_ghap(action="new"))
    assert entry.iteration_count == 3
    assert entry.history[1].timestamp == entry.history[0].timestamp == datetime.fromisoformat("2025-12-03T14:30:22Z")


@pytest.mark.parametrize(
    ("given", "changes"),
    [
        ({"hypothesis": "h", "action": "a", "prediction": "p"}, {}),
        ({"strategy": Strategy.ASK_USER}, {}),
        ({"strategy": Strategy.READ_THE_ERROR}, {"strategy": Strategy.READ_THE_ERROR}),
        ({"note": "n"}, {"notes": ["n"]}),
        ({"note": "n", "hypothesis": "h"}, {"notes": ["n"]}),
        ({"check": "make"}, {"check": "make"}),
    ],
)
def test_update_without_a_changed_text_begins_no_iteration(
    given: dict[str, Any], changes: dict[str, Any], tmp_path: Path
) -> None:
    before = run(tmp_path, create)
    entry = run(tmp_path, lambda journal: journal.update_ghap(**given))
    assert {name: value for name, value in vars(entry).items() if value != vars(before)[name]} == changes
    assert entry == current(tmp_path)


def test_strategy_note_and_text_changed_together_all_happen(tmp_path: Path) -> None:
    run(tmp_path, create)
    entry = run(tmp_path, lambda journal: journal.update_ghap("h2", None, "p2", Strategy.READ_THE_ERROR, "n"))
    assert (entry.hypothesis, entry.action, entry.prediction) == ("h2", "a", "p2")
    assert (entry.strategy, entry.notes, entry.iteration_count, len(entry.history)) == (
        Strategy.READ_THE_ERROR,
        ["n"],
        2,
        1,
    )


def test_blank_check_takes_the_check_away(tmp_path: Path) -> None:
    run(tmp_path, lambda journal: create(journal, check="make"))
    assert run(tmp_path, lambda journal: journal.update_ghap(check=" ")).check is None


def test_update_with_nothing_given_is_a_value_error(tmp_path: Path) -> None:
    run(tmp_path, create)
    with pytest.raises(ValueError, match="nothing to update"):
        run(tmp_path, lambda journal: journal.update_ghap())


@pytest.mark.parametrize("status", [OutcomeStatus.CONFIRMED, OutcomeStatus.FALSIFIED, OutcomeStatus.ABANDONED])
def test_resolved_entry_is_filed_with_all_that_was_learned(status: OutcomeStatus, tmp_path: Path) -> None:
    run(tmp_path, create)
    entry = run(
        tmp_path,
        lambda journal: journal.resolve_ghap(
            status, "seen", "surprised", RootCause("Wrong  Assumption_here", "d"), Lesson("w", "t")
        ),
    )
    assert entry.outcome.status is status
    assert (entry.outcome.result, entry.outcome.auto_captured) == ("seen", False)
    assert (entry.surprise, entry.root_cause, entry.lesson) == (
        "surprised",
        RootCause("wrong-assumption-here", "d"),
        Lesson("w", "t"),
    )
    assert run(tmp_path, lambda journal: journal.get_session_entries()) == [entry]
    assert current(tmp_path) is None
    assert not (tmp_path / "current_ghap.json").exists()


@pytest.mark.parametrize(("auto", "tier"), [(True, ConfidenceTier.GOLD), (False, ConfidenceTier.SILVER)])
def test_automatic_capture_makes_gold(auto: bool, tier: ConfidenceTier, tmp_path: Path) -> None:
    run(tmp_path, create)
    assert run(tmp_path, lambda journal: resolve(journal, auto_captured=auto)).confidence_tier is tier


def test_check_resolves_the_entry_it_belongs_to_and_no_other(tmp_path: Path) -> None:
    entry = run(tmp_path, lambda journal: create(journal, check="c"))
    journal = Journal(tmp_path)
    assert journal.resolve_by_check("ghap_x", OutcomeStatus.CONFIRMED, "ok") is None
    assert current(tmp_path) == entry
    resolved = journal.resolve_by_check(entry.id, OutcomeStatus.FALSIFIED, "1 failed")
    assert resolved is not None
    assert resolved.outcome is not None
    assert (resolved.outcome.auto_captured, resolved.confidence_tier) == (True, ConfidenceTier.GOLD)
    assert journal.resolve_by_check(entry.id, OutcomeStatus.CONFIRMED, "ok") is None
    assert journal.get_session_entries() == [resolved]


def test_abandoned_entry_keeps_the_reason_and_its_tier(tmp_path: Path) -> None:
    run(tmp_path, create)
    entry = run(tmp_path, lambda journal: journal.abandon_ghap("no time"))
    assert (entry.outcome.status, entry.outcome.result) == (OutcomeStatus.ABANDONED, "no time")
    assert entry.confidence_tier is ConfidenceTier.ABANDONED
    assert run(tmp_path, lambda journal: journal.get_session_entries()) == [entry]


def test_unknown_fields_survive_every_call(tmp_path: Path) -> None:
    Journal(tmp_path)
    (tmp_path / "current_ghap.json").write_text(
        PUBLISHED_CURRENT.replace('"notes"', '"from_the_future": {"a": 1}, "notes"')
    )
    run(tmp_path, lambda journal: journal.adopt_orphan(), lambda journal: journal.update_ghap(note="n"))
    entry = run(tmp_path, resolve, lambda journal: journal.end_session())[0]
    assert entry.extra == {"from_the_future": {"a": 1}}


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (lambda journal: journal.create_ghap("nope", Strategy.ASK_USER, "g", "h", "a", "p"), "domain cannot be 'nope'"),
        (lambda journal: journal.create_ghap(Domain.TESTING, None, "g", "h", "a", "p"), "strategy cannot be null"),
        (lambda journal: create(journal, None), "goal must be text, not null"),
        (lambda journal: journal.update_ghap(note=b"x"), "note must be text, not bytes"),
        (lambda journal: journal.resolve_ghap("done", "r"), "status cannot be 'done'"),
        (lambda journal: journal.resolve_ghap(OutcomeStatus.CONFIRMED, 1), "result must be text, not a number"),
        (lambda journal: resolve(journal, root_cause=RootCause("!", "d")), "a root cause category is a word"),
    ],
)
def test_value_of_the_wrong_kind_is_refused_before_anything_is_touched(
    action: Action, said: str, tmp_path: Path
) -> None:
    before = run(tmp_path, create)
    with pytest.raises(InvalidEntryError, match=f"^{said}"):
        run(tmp_path, action)
    assert current(tmp_path) == before


def test_enum_values_are_taken_by_their_text_too(tmp_path: Path) -> None:
    words: Any = ("testing", "ask-user", "g", "h", "a", "p")
    entry = run(tmp_path, lambda journal: journal.create_ghap(*words))
    assert (entry.domain, entry.strategy) == (Domain.TESTING, Strategy.ASK_USER)


def test_texts_given_are_cut_and_cleaned_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        entry = run(tmp_path, lambda journal: create(journal, "a\0\ud800" + "x" * 10_000))
    assert entry.goal == "a\ufffd\ufffd" + "x" * 9_997
    assert [record.getMessage() for record in caplog.records] == [
        "goal has 10003 characters and was cut to the first 10000"
    ]
    assert current(tmp_path) == entry


def test_text_equal_after_cutting_is_no_change(tmp_path: Path) -> None:
    run(tmp_path, create, lambda journal: journal.update_ghap(hypothesis="x" * 10_001))
    assert run(tmp_path, lambda journal: journal.update_ghap(hypothesis="x" * 10_002)).iteration_count == 2


def test_lock_held_for_too_long_is_an_error_that_names_the_holder(tmp_path: Path) -> None:
    journal = Journal(tmp_path, lock_timeout=0.05)
    with files.lock(tmp_path / ".lock"), pytest.raises(JournalLockedError) as caught:
        create(journal)
    holder = (tmp_path / ".lock").read_text().strip()
    assert str(caught.value) == (
        f"{tmp_path}/.lock has been locked for more than 0.05 s by process {holder}; "
        "wait for it or end it, then try again"
    )
    assert current(tmp_path) is None


@pytest.mark.parametrize(
    "action",
    [
        resolve,
        lambda journal: journal.resolve_by_check("ghap_x", OutcomeStatus.CONFIRMED, "r"),
        lambda journal: journal.start_session(),
        lambda journal: journal.reopen_session(""),
        lambda journal: journal.leave_session("session_20250101_000000_000000"),
        lambda journal: journal.increment_tool_count(),
        lambda journal: journal.reset_tool_count(),
    ],
)
def test_call_that_changes_something_waits_for_the_lock_no_longer_than_its_timeout(
    action: Action, tmp_path: Path
) -> None:
    journal = Journal(tmp_path, lock_timeout=0.01)
    with files.lock(tmp_path / ".lock"), pytest.raises(JournalLockedError):
        action(journal)


def test_call_whose_wait_is_given_up_does_nothing(tmp_path: Path) -> None:
    def give_up(seconds: float) -> None:
        assert 0 < seconds <= 0.05
        raise KeyboardInterrupt

    journal = Journal(tmp_path, sleep=give_up)
    with files.lock(tmp_path / ".lock"), pytest.raises(KeyboardInterrupt):
        create(journal)
    assert current(tmp_path) is None


def test_hook_that_uses_the_journal_pays_for_no_event_loop() -> None:
    program = (
        "import sys; import ghap.local.journal; "
        "print(sorted({'asyncio', 'aiofiles', 'concurrent', 'logging', 'hashlib'} & set(sys.modules)))"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert process.stdout == "[]\n"


def test_temporary_files_of_crashed_writers_are_swept_at_the_start(tmp_path: Path) -> None:
    Journal(tmp_path)
    (tmp_path / "archive").mkdir()
    left = [
        tmp_path / ".current_ghap.json.123.abcd.tmp",
        tmp_path / "current_ghap.json.tmp",
        tmp_path / "archive/x.tmp",
    ]
    for path in left:
        path.write_text("half")
    Journal(tmp_path)
    assert [path for path in left if path.exists()] == []


def test_temporary_files_stay_while_another_process_writes(tmp_path: Path) -> None:
    Journal(tmp_path)
    (tmp_path / ".session_id.123.abcd.tmp").write_text("half")
    with files.lock(tmp_path / ".lock"):
        Journal(tmp_path)
    assert (tmp_path / ".session_id.123.abcd.tmp").exists()


def test_entry_has_the_agent_s_session_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "0b1c\x1b[31m")
    entry = run(tmp_path, create)
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    resolved = run(tmp_path, resolve)

    assert (entry.agent_session, resolved.agent_session) == ("0b1c", "0b1c")


def test_session_that_a_hook_noted_comes_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "other")
    entry = run(tmp_path, create)
    active.save_notes(tmp_path, active.Notes(entry.id, "noted"))

    assert run(tmp_path, resolve).agent_session == "noted"
