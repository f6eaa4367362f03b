"""The journal for event loops: the published signatures, the thread that does the work, and cancellation.

What the calls do is tested on Journal; tests of crashes and random sequences run on both.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from ghap.local import (
    Domain,
    Journal,
    JournalLockedError,
    NoActiveGHAPError,
    ObservationCollector,
    OutcomeStatus,
    Strategy,
)
from memoryserver.common import files

WORDS = (Domain.TESTING, Strategy.ASK_USER, "g", "h", "a", "p")
PUBLISHED = {
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
"""The parameters of each call; only `check`, by keyword, was added."""


def parameters(kind: type, name: str) -> list[inspect.Parameter]:
    return list(inspect.signature(getattr(kind, name)).parameters.values())[1:]


def test_signatures_are_the_published_ones() -> None:
    signatures = {}
    for name in PUBLISHED:
        assert inspect.iscoroutinefunction(getattr(ObservationCollector, name))
        items = parameters(ObservationCollector, name)
        signatures[name] = " ".join("*" * (item.kind is item.KEYWORD_ONLY) + item.name for item in items)
    assert signatures == PUBLISHED


def test_every_call_has_the_signature_of_the_journals() -> None:
    calls = [name for name in vars(ObservationCollector) if not name.startswith("_")]
    assert set(calls) > set(PUBLISHED)
    for name in calls:
        assert parameters(ObservationCollector, name) == parameters(Journal, name)
        assert (
            inspect.signature(getattr(ObservationCollector, name)).return_annotation
            == inspect.signature(getattr(Journal, name)).return_annotation
        )


def test_every_call_does_what_the_journals_does(tmp_path: Path) -> None:
    async def act() -> None:
        journal = ObservationCollector(tmp_path)
        session_id = await journal.start_session()
        assert await journal.get_session_id() == session_id
        entry = await journal.create_ghap(*WORDS, check="make")
        assert await journal.get_current() == entry
        changed = await journal.update_ghap("h2", "a2", "p2", Strategy.READ_THE_ERROR, "n", check="make all")
        assert (changed.hypothesis, changed.action, changed.prediction) == ("h2", "a2", "p2")
        assert (changed.strategy, changed.notes, changed.check) == (Strategy.READ_THE_ERROR, ["n"], "make all")
        assert [await journal.increment_tool_count() for _ in range(2)] == [1, 2]
        assert (await journal.should_check_in(2), await journal.should_check_in()) == (True, False)
        await journal.reset_tool_count()
        assert await journal.should_check_in(1) is False
        resolved = await journal.resolve_ghap(OutcomeStatus.CONFIRMED, "r", "s", auto_captured=True)
        amended = await journal.amend_ghap(resolved.id, note="later")
        assert await journal.get_session_entries() == [amended]
        await journal.create_ghap(*WORDS)
        abandoned = await journal.abandon_ghap("no time")
        left = await journal.create_ghap(*WORDS)
        await journal.start_session()
        assert await journal.has_orphaned_entry() is True
        assert await journal.get_orphaned_entry() == left
        adopted = await journal.adopt_orphan()
        assert adopted is not None
        assert (adopted.id, await journal.has_orphaned_entry()) == (left.id, False)
        await journal.start_session()
        gone = await journal.abandon_orphan("left behind")
        assert gone is not None
        assert await journal.end_session() == []
        filed = await journal.get_all_entries()
        assert sorted(filed, key=lambda entry: entry.created_at) == [amended, abandoned, gone]

    asyncio.run(act())
    assert Journal(tmp_path).get_session_id() is None


def test_errors_are_those_of_the_journal(tmp_path: Path) -> None:
    async def act() -> None:
        journal = ObservationCollector(tmp_path)
        with pytest.raises(NoActiveGHAPError, match="begin one with create_ghap"):
            await journal.abandon_ghap("r")
        assert await journal.increment_tool_count() == 1  # the lock is free again

    asyncio.run(act())


def test_event_loop_runs_on_while_the_lock_is_waited_for(tmp_path: Path) -> None:
    async def act() -> list[str]:
        journal, order = ObservationCollector(tmp_path), []
        descriptor = files.try_lock(tmp_path / ".lock")
        assert descriptor is not None
        waiting = asyncio.create_task(journal.create_ghap(*WORDS))
        await asyncio.sleep(0.02)
        order.append(f"free {waiting.done()}")
        os.close(descriptor)
        await waiting
        return order

    assert asyncio.run(act()) == ["free False"]


def test_coroutines_of_one_collector_take_turns(tmp_path: Path) -> None:
    async def act() -> None:
        journal = ObservationCollector(tmp_path)
        counts = await asyncio.gather(*(journal.increment_tool_count() for _ in range(100)))
        assert counts == list(range(1, 101))
        results = await asyncio.gather(*(journal.create_ghap(*WORDS) for _ in range(8)), return_exceptions=True)
        assert Counter(type(result).__name__ for result in results) == {"GHAPEntry": 1, "GHAPAlreadyActiveError": 7}
        await journal.abandon_ghap("r")

    asyncio.run(act())


def test_calls_cancelled_at_any_moment_are_done_wholly_or_not_at_all(tmp_path: Path) -> None:
    async def act() -> None:
        journal = ObservationCollector(tmp_path)
        await journal.create_ghap(*WORDS)
        for pause in (0.0, 0.0001, 0.0003, 0.001, 0.002) * 10:
            call = asyncio.create_task(journal.update_ghap(note="n"))
            await asyncio.sleep(pause)
            call.cancel()
            before = await journal.get_current()
            assert before is not None
            after = await asyncio.wait_for(journal.update_ghap(note="last"), 5)
            assert after.notes == [*before.notes, "last"]
            assert await journal.get_current() == after

    asyncio.run(act())
    assert [path.name for path in tmp_path.glob("*.tmp")] == []


def test_cancelled_call_holds_the_lock_until_its_work_is_over(tmp_path: Path) -> None:
    """The call reads a pipe, whose other end the test holds, in place of a file."""

    async def act() -> None:
        journal = ObservationCollector(tmp_path)
        os.mkfifo(tmp_path / ".session_id")
        call = asyncio.create_task(journal.start_session())
        writer = await asyncio.to_thread(os.open, tmp_path / ".session_id", os.O_WRONLY)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert files.try_lock(tmp_path / ".lock") is None
        os.close(writer)
        session_id = await asyncio.wait_for(journal.get_session_id(), 5)
        assert session_id is not None
        assert (tmp_path / ".session_id").read_text() == session_id

    asyncio.run(act())


def test_call_waits_for_another_process_no_longer_than_its_timeout(tmp_path: Path) -> None:
    async def act() -> None:
        with pytest.raises(JournalLockedError, match=r"for more than 0\.02 s by process"):
            await ObservationCollector(tmp_path, lock_timeout=0.02).create_ghap(*WORDS)

    with files.lock(tmp_path / ".lock"):
        asyncio.run(act())


def test_call_cancelled_while_it_waits_for_the_lock_does_nothing_and_ends_at_once(tmp_path: Path) -> None:
    async def act() -> None:
        journal = ObservationCollector(tmp_path, lock_timeout=60)
        with files.lock(tmp_path / ".lock"):
            calls = [asyncio.create_task(journal.create_ghap(*WORDS)) for _ in range(3)]
            await asyncio.sleep(0.05)
            for call in calls:
                call.cancel()
            assert await asyncio.wait_for(journal.get_current(), 5) is None
        assert await journal.get_current() is None
        assert await journal.increment_tool_count() == 1

    asyncio.run(act())


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_forked_child_can_go_on_with_its_parents_collector(tmp_path: Path) -> None:
    journal = ObservationCollector(tmp_path)
    asyncio.run(journal.increment_tool_count())
    child = os.fork()
    if child == 0:
        count = 0
        with contextlib.suppress(BaseException):
            count = asyncio.run(asyncio.wait_for(journal.increment_tool_count(), 5))
        os._exit(0 if count == 2 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("begins", ["create_ghap", "start_session", "increment_tool_count", "reset_tool_count"])
def test_folder_that_was_removed_is_created_again_by_a_call_that_writes(tmp_path: Path, begins: str) -> None:
    folder = tmp_path / "journal"

    async def act() -> None:
        journal = ObservationCollector(folder)
        await journal.start_session()
        shutil.rmtree(folder)
        assert await journal.get_current() is None
        assert await journal.get_session_entries() == []
        await getattr(journal, begins)(*(WORDS if begins == "create_ghap" else ()))

    asyncio.run(act())

    assert (folder / ".gitignore").read_text() == "*\n"
    assert len(list(folder.iterdir())) > 1
