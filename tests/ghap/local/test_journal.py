"""The life of an entry: begun, changed, resolved, abandoned; what each call promises."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
from collections.abc import Awaitable, Callable, Coroutine
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
    JournalLockedError,
    Lesson,
    NoActiveGHAPError,
    ObservationCollector,
    OutcomeStatus,
    RootCause,
    Strategy,
)
from memoryserver.common import files
from tests.ghap.local.samples import PUBLISHED_CURRENT

Action = Callable[[ObservationCollector], Awaitable[Any]]


def run(folder: Path, *actions: Action) -> Any:
    """The result of the last of `actions`, each in a loop and collector of its own, as after a restart."""
    result = None
    for action in actions:

        async def act(action: Action = action) -> Any:
            return await action(ObservationCollector(folder))

        result = asyncio.run(act())
    return result


def create(journal: ObservationCollector, goal: Any = "g", **more: Any) -> Coroutine[Any, Any, GHAPEntry]:
    return journal.create_ghap(Domain.TESTING, Strategy.ASK_USER, goal, "h", "a", "p", **more)


def resolve(journal: ObservationCollector, **more: Any) -> Awaitable[GHAPEntry]:
    return journal.resolve_ghap(OutcomeStatus.CONFIRMED, "as predicted", **more)


def current(folder: Path) -> GHAPEntry | None:
    found: GHAPEntry | None = run(folder, lambda journal: journal.get_current())
    return found


def test_signatures_are_the_published_ones() -> None:
    """Only `check`, by keyword, was added."""
    expected = {
        "create_ghap": "domain strategy goal hypothesis action prediction *check",
        "update_ghap": "hypothesis action prediction strategy note *check",
        "resolve_ghap": "status result surprise root_cause lesson auto_captured",
        "abandon_ghap": "reason",
        "get_current": "",
        "get_session_entries": "",
        "has_orphaned_entry": "",
        "get_orphaned_entry": "",
        "adopt_orphan": "",
        "abandon_orphan": "reason",
        "start_session": "",
        "get_session_id": "",
        "end_session": "",
        "increment_tool_count": "",
        "should_check_in": "frequency",
        "reset_tool_count": "",
    }
    found = {}
    for name in expected:
        method = getattr(ObservationCollector, name)
        assert inspect.iscoroutinefunction(method)
        parameters = list(inspect.signature(method).parameters.values())[1:]
        found[name] = " ".join("*" * (item.kind is item.KEYWORD_ONLY) + item.name for item in parameters)
    assert found == expected


def test_missing_folder_is_made_with_a_gitignore_of_everything(tmp_path: Path) -> None:
    folder = tmp_path / "a project" / ".claude" / "journal"
    ObservationCollector(folder)
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
    assert [call in said for call in ("resolve_ghap", "adopt_orphan", "abandon_ghap")] == [True] * 3
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
    ObservationCollector(tmp_path)
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


def test_abandoned_entry_keeps_the_reason_and_its_tier(tmp_path: Path) -> None:
    run(tmp_path, create)
    entry = run(tmp_path, lambda journal: journal.abandon_ghap("no time"))
    assert (entry.outcome.status, entry.outcome.result) == (OutcomeStatus.ABANDONED, "no time")
    assert entry.confidence_tier is ConfidenceTier.ABANDONED
    assert run(tmp_path, lambda journal: journal.get_session_entries()) == [entry]


def test_unknown_fields_survive_every_call(tmp_path: Path) -> None:
    ObservationCollector(tmp_path)
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
    async def act() -> None:
        await create(ObservationCollector(tmp_path, lock_timeout=0.05))

    run(tmp_path, lambda journal: journal.get_current())
    with files.lock(tmp_path / ".lock"), pytest.raises(JournalLockedError) as caught:
        asyncio.run(act())
    holder = (tmp_path / ".lock").read_text().strip()
    assert str(caught.value) == (
        f"{tmp_path}/.lock has been locked for more than 0.05 s by process {holder}; "
        "wait for it or end it, then try again"
    )
    assert current(tmp_path) is None


def test_event_loop_runs_on_while_the_lock_is_waited_for(tmp_path: Path) -> None:
    async def act() -> list[str]:
        journal, order = ObservationCollector(tmp_path), []
        descriptor = files.try_lock(tmp_path / ".lock")
        assert descriptor is not None
        waiting = asyncio.create_task(create(journal))
        await asyncio.sleep(0.02)
        order.append(f"free {waiting.done()}")
        os.close(descriptor)
        await waiting
        return order

    assert asyncio.run(act()) == ["free False"]


def test_cancelled_call_lets_the_lock_go_after_its_write(tmp_path: Path) -> None:
    async def act() -> None:
        journal = ObservationCollector(tmp_path)
        await create(journal)
        for pause in (0.0, 0.0001, 0.0003, 0.001, 0.002) * 10:
            call = asyncio.create_task(journal.update_ghap(note="n"))
            await asyncio.sleep(pause)
            call.cancel()
            before = await journal.get_current()
            assert before is not None
            after = await asyncio.wait_for(journal.update_ghap(note="last"), 5)
            assert after.notes[-1] == "last"
            assert await journal.get_current() == after

    asyncio.run(act())
    assert [path.name for path in tmp_path.glob("*.tmp")] == []


def test_temporary_files_of_crashed_writers_are_swept_at_the_start(tmp_path: Path) -> None:
    ObservationCollector(tmp_path)
    (tmp_path / "archive").mkdir()
    left = [
        tmp_path / ".current_ghap.json.123.abcd.tmp",
        tmp_path / "current_ghap.json.tmp",
        tmp_path / "archive/x.tmp",
    ]
    for path in left:
        path.write_text("half")
    ObservationCollector(tmp_path)
    assert [path for path in left if path.exists()] == []


def test_temporary_files_stay_while_another_process_writes(tmp_path: Path) -> None:
    ObservationCollector(tmp_path)
    (tmp_path / ".session_id.123.abcd.tmp").write_text("half")
    with files.lock(tmp_path / ".lock"):
        ObservationCollector(tmp_path)
    assert (tmp_path / ".session_id.123.abcd.tmp").exists()
