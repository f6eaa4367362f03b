"""Sessions, their archives, orphans, and the tool calls between check-ins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ghap.local import ConfidenceTier, GHAPEntry, Journal, OutcomeStatus, counter
from ghap.local.ids import is_session_id
from tests.support.laptops.journals import Action, create, current, resolve, run

OLD = "session_20251203_140000_x7y8z9"
NO_SESSION = "session_20250101_000000_000000"


def start(journal: Journal) -> Any:
    return journal.start_session()


def end(journal: Journal) -> Any:
    return journal.end_session()


def adopt(journal: Journal) -> Any:
    return journal.adopt_orphan()


def archived(folder: Path) -> dict[str, list[GHAPEntry]]:
    """The archive files and what is in them."""
    return {
        path.name: [GHAPEntry.from_json(line) for line in path.read_bytes().split(b"\n") if line]
        for path in sorted((folder / "archive").glob("*"))
    }


def archive_of(session_id: str) -> str:
    return f"{session_id[8:16]}_{session_id}.jsonl"


def test_started_session_is_known_after_a_restart(tmp_path: Path) -> None:
    session_id = run(tmp_path, start)
    assert is_session_id(session_id)
    assert run(tmp_path, lambda journal: journal.get_session_id()) == session_id
    assert (tmp_path / ".session_id").read_text() == session_id


def test_no_session_is_none(tmp_path: Path) -> None:
    assert run(tmp_path, lambda journal: journal.get_session_id()) is None


def test_ended_session_is_archived_under_its_own_date(tmp_path: Path) -> None:
    (tmp_path / ".session_id").write_text(f"{OLD}\n")
    run(tmp_path, create, resolve, create)
    entries = run(tmp_path, end)
    assert [entry.outcome.status for entry in entries] == [OutcomeStatus.CONFIRMED, OutcomeStatus.ABANDONED]
    assert entries[1].outcome.result == "session ended"
    assert entries[1].confidence_tier is ConfidenceTier.ABANDONED
    assert archived(tmp_path) == {f"20251203_{OLD}.jsonl": entries}
    assert sorted(path.name for path in tmp_path.iterdir()) == [".gitignore", ".lock", ".tool_count", "archive"]
    assert (tmp_path / ".tool_count").read_text() == "0"


def test_ended_session_without_entries_leaves_no_archive(tmp_path: Path) -> None:
    assert run(tmp_path, start, end) == []
    assert archived(tmp_path) == {}


def test_end_without_a_session_tidies_up(tmp_path: Path) -> None:
    assert run(tmp_path, end, end) == []


def test_start_while_one_is_open_archives_it_and_leaves_the_active_entry_as_orphan(tmp_path: Path) -> None:
    first = run(tmp_path, start)
    filed = run(tmp_path, create, resolve)
    active = run(tmp_path, create)
    run(tmp_path, lambda journal: journal.increment_tool_count())
    second = run(tmp_path, start)
    assert first != second
    assert archived(tmp_path) == {archive_of(first): [filed]}
    assert run(tmp_path, lambda journal: journal.get_session_entries()) == []
    assert run(tmp_path, lambda journal: journal.get_orphaned_entry()) == active == current(tmp_path)
    assert (tmp_path / ".tool_count").read_text() == "0"


def test_entry_of_the_open_session_is_no_orphan(tmp_path: Path) -> None:
    run(tmp_path, start, create)
    assert run(tmp_path, lambda journal: journal.has_orphaned_entry()) is False
    assert run(tmp_path, lambda journal: journal.get_orphaned_entry()) is None
    assert run(tmp_path, adopt) is None
    assert run(tmp_path, lambda journal: journal.abandon_orphan("r")) is None
    assert current(tmp_path) is not None


def test_nothing_active_is_no_orphan(tmp_path: Path) -> None:
    assert run(tmp_path, start, adopt) is None
    assert run(tmp_path, lambda journal: journal.abandon_orphan("r")) is None
    assert run(tmp_path, lambda journal: journal.has_orphaned_entry()) is False


def test_adopted_orphan_changes_only_its_session(tmp_path: Path) -> None:
    before = run(tmp_path, create)
    second = run(tmp_path, start)
    entry = run(tmp_path, adopt)
    assert vars(entry) == {**vars(before), "session_id": second}
    assert entry == current(tmp_path)
    assert run(tmp_path, lambda journal: journal.has_orphaned_entry()) is False


@pytest.mark.parametrize("action", [adopt, create])
def test_call_that_needs_a_session_starts_one(action: Action, tmp_path: Path) -> None:
    if action is adopt:
        run(tmp_path, create)
        (tmp_path / ".session_id").unlink()
    entry = run(tmp_path, action)
    assert entry.session_id == run(tmp_path, lambda journal: journal.get_session_id())


def test_session_that_is_left_keeps_its_active_entry_for_the_next(tmp_path: Path) -> None:
    filed = run(tmp_path, create, resolve)
    entry = run(tmp_path, create)
    assert Journal(tmp_path).leave_session(NO_SESSION) is False
    assert Journal(tmp_path).leave_session(entry.session_id) is True
    assert Journal(tmp_path).get_session_id() is None
    assert Journal(tmp_path).get_orphaned_entry() == entry
    assert archived(tmp_path) == {archive_of(entry.session_id): [filed]}
    assert Journal(tmp_path).leave_session(entry.session_id) is False


def test_session_that_is_reopened_has_its_entry_again(tmp_path: Path) -> None:
    entry = run(tmp_path, create)
    Journal(tmp_path).leave_session(entry.session_id)
    assert Journal(tmp_path).reopen_session(entry.session_id) == entry.session_id
    assert Journal(tmp_path).has_orphaned_entry() is False
    assert Journal(tmp_path).reopen_session(NO_SESSION) == entry.session_id


@pytest.mark.parametrize("session_id", ["", "../../x", "session_1"])
def test_reopening_an_invalid_session_id_starts_a_session(tmp_path: Path, session_id: str) -> None:
    entry = run(tmp_path, create)
    Journal(tmp_path).leave_session(entry.session_id)
    opened = Journal(tmp_path).reopen_session(session_id)
    assert opened == Journal(tmp_path).get_session_id() != session_id
    assert is_session_id(opened)


def test_abandoned_orphan_goes_to_its_own_sessions_archive(tmp_path: Path) -> None:
    first = run(tmp_path, start)
    run(tmp_path, create, start)
    entry = run(tmp_path, lambda journal: journal.abandon_orphan("left behind"))
    assert (entry.session_id, entry.outcome.result) == (first, "left behind")
    assert archived(tmp_path) == {archive_of(first): [entry]}
    assert current(tmp_path) is None
    assert run(tmp_path, lambda journal: journal.get_session_entries()) == []


def test_end_with_an_orphan_archives_it_to_its_own_session(tmp_path: Path) -> None:
    first = run(tmp_path, start)
    orphan = run(tmp_path, create)
    second = run(tmp_path, start)
    assert run(tmp_path, end) == []
    ((name, (entry,)),) = archived(tmp_path).items()
    assert (name, entry.id, entry.session_id) == (archive_of(first), orphan.id, first)
    assert archive_of(second) not in archived(tmp_path)
    assert current(tmp_path) is None


def test_resolved_orphan_is_filed_with_the_open_session(tmp_path: Path) -> None:
    first = run(tmp_path, start)
    run(tmp_path, create, start)
    entry = run(tmp_path, resolve)
    assert entry.session_id == first
    assert run(tmp_path, lambda journal: journal.get_session_entries()) == [entry]


def test_archiving_again_adds_nothing_twice(tmp_path: Path) -> None:
    """What a crash between archiving and clearing leaves."""
    session_id = run(tmp_path, start)
    filed = run(tmp_path, create, resolve)
    lines = (tmp_path / "session_entries.jsonl").read_bytes()
    run(tmp_path, end)
    (tmp_path / ".session_id").write_text(session_id)
    (tmp_path / "session_entries.jsonl").write_bytes(lines)
    another = run(tmp_path, create, resolve)
    run(tmp_path, end)
    assert archived(tmp_path) == {archive_of(session_id): [filed, another]}


def test_entry_already_filed_is_cleared_not_resolved_twice(tmp_path: Path) -> None:
    """What a crash between filing and clearing leaves."""
    run(tmp_path, create)
    content = (tmp_path / "current_ghap.json").read_bytes()
    entry = run(tmp_path, resolve)
    (tmp_path / "current_ghap.json").write_bytes(content)
    assert current(tmp_path) is None
    assert not (tmp_path / "current_ghap.json").exists()
    assert run(tmp_path, lambda journal: journal.get_session_entries()) == [entry]


def test_orphan_already_archived_is_cleared(tmp_path: Path) -> None:
    run(tmp_path, create, start)
    content = (tmp_path / "current_ghap.json").read_bytes()
    run(tmp_path, lambda journal: journal.abandon_orphan("r"))
    (tmp_path / "current_ghap.json").write_bytes(content)
    assert run(tmp_path, adopt) is None
    assert current(tmp_path) is None


def test_last_line_longer_than_the_tail_is_still_found(tmp_path: Path) -> None:
    run(tmp_path, create)
    content = json.loads((tmp_path / "current_ghap.json").read_bytes())
    content["big"] = "x" * 1_000_000
    (tmp_path / "current_ghap.json").write_text(json.dumps(content))
    big = (tmp_path / "current_ghap.json").read_bytes()
    run(tmp_path, resolve)
    (tmp_path / "current_ghap.json").write_bytes(big)
    assert current(tmp_path) is None


def test_all_entries_are_given_once_the_present_session_last(tmp_path: Path) -> None:
    first = run(tmp_path, create, resolve)
    run(tmp_path, start)
    second = run(tmp_path, create, resolve)
    assert run(tmp_path, lambda journal: journal.get_all_entries()) == [first, second]


def test_session_of_an_entry_that_is_no_session_id_stays_out_of_file_names(tmp_path: Path) -> None:
    run(tmp_path, create)
    content = json.loads((tmp_path / "current_ghap.json").read_bytes())
    content |= {"session_id": "..", "created_at": "2025-12-03T14:15:00Z"}
    (tmp_path / "current_ghap.json").write_text(json.dumps(content))
    run(tmp_path, lambda journal: journal.abandon_orphan("r"))
    assert list(archived(tmp_path)) == ["20251203_session_unknown.jsonl"]


def test_tool_count_survives_restarts_and_ends_with_the_session(tmp_path: Path) -> None:
    def count(journal: Journal) -> Any:
        return journal.increment_tool_count()

    run(tmp_path, start)
    assert [run(tmp_path, count) for _ in range(3)] == [1, 2, 3]
    assert counter.increment(tmp_path) == counter.peek(tmp_path) == 4
    assert (tmp_path / ".tool_count").read_text() == "4"
    run(tmp_path, lambda journal: journal.reset_tool_count())
    assert run(tmp_path, count) == 1
    run(tmp_path, end)
    assert run(tmp_path, count) == 1
    counter.reset(tmp_path)
    assert counter.peek(tmp_path) == 0


@pytest.mark.parametrize(
    ("calls", "frequency", "active", "due"),
    [(9, 10, True, False), (10, 10, True, True), (11, 10, True, True), (10, 10, False, False), (3, 3, True, True)],
)
def test_check_in_is_due_after_enough_calls_with_an_active_entry(
    calls: int, frequency: int, active: bool, due: bool, tmp_path: Path
) -> None:
    run(tmp_path, start)
    if active:
        run(tmp_path, create)
    for _ in range(calls):
        counter.increment(tmp_path)
    assert run(tmp_path, lambda journal: journal.should_check_in(frequency)) is due
    assert counter.check_in_due(tmp_path, frequency) is due


def test_check_in_is_not_due_for_an_entry_that_is_already_filed(tmp_path: Path) -> None:
    run(tmp_path, create)
    content = (tmp_path / "current_ghap.json").read_bytes()
    run(tmp_path, resolve)
    (tmp_path / "current_ghap.json").write_bytes(content)
    for _ in range(10):
        counter.increment(tmp_path)
    assert run(tmp_path, lambda journal: journal.should_check_in()) is False
