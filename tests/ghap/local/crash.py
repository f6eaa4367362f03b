"""Run as a process: stops a child at file operations of one call, restarts, and checks the journal.

    python -m tests.ghap.local.crash journal|collector exit|full STRIDE CALL|all [SECOND_CALL]

It is stopped at every STRIDEth operation. The calls are those of Journal, or of ObservationCollector. With `full` the
disk is full at that operation instead. With SECOND_CALL the restarted process is stopped too, at every
SECOND_STRIDEth operation of that call. Prints a JSON object by call; `failures` lists what does not hold.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.support.laptops import faults as faults_module

FAULTS = faults_module.install()

from ghap.local import (  # noqa: E402 - the faults must be in place first
    Domain,
    GHAPEntry,
    Journal,
    OutcomeStatus,
    Strategy,
)
from tests.support.laptops.journals import AwaitedCollector  # noqa: E402 - as above

Call = Callable[[Any], object]

SECOND_STRIDE = 8


def create(journal: Journal, goal: str) -> GHAPEntry:
    return journal.create_ghap(Domain.DEBUGGING, Strategy.READ_THE_ERROR, goal, "h", "a", "p")


def file_one(journal: Journal, goal: str) -> None:
    create(journal, goal)
    journal.resolve_ghap(OutcomeStatus.CONFIRMED, "as predicted")


def nothing(journal: Journal) -> None:
    """A journal as it is first made."""


def with_active(journal: Journal) -> None:
    """An archive, a session with two filed entries and an active one, some tool calls."""
    journal.start_session()
    file_one(journal, "in the archive")
    journal.start_session()
    file_one(journal, "first")
    file_one(journal, "second")
    create(journal, "active")
    journal.increment_tool_count()


def with_orphan(journal: Journal) -> None:
    """The same, and then a new session."""
    with_active(journal)
    journal.start_session()


def without_session(journal: Journal) -> None:
    with_active(journal)
    os.unlink(journal.journal_dir / ".session_id")


CALLS: dict[str, tuple[Call, Call]] = {
    "create": (lambda j: j.start_session(), lambda j: create(j, "new")),
    "create_without_session": (nothing, lambda j: create(j, "new")),
    "update": (with_active, lambda j: j.update_ghap(hypothesis="h2", note="n")),
    "resolve": (with_active, lambda j: j.resolve_ghap(OutcomeStatus.FALSIFIED, "it failed")),
    "abandon": (with_active, lambda j: j.abandon_ghap("no time")),
    "start_session": (with_active, lambda j: j.start_session()),
    "end_session": (with_active, lambda j: j.end_session()),
    "end_session_with_orphan": (with_orphan, lambda j: j.end_session()),
    "adopt": (with_orphan, lambda j: j.adopt_orphan()),
    "adopt_without_session": (without_session, lambda j: j.adopt_orphan()),
    "abandon_orphan": (with_orphan, lambda j: j.abandon_orphan("left behind")),
    "reopen_session": (without_session, lambda j: j.reopen_session("session_20251203_140000_x7y8z9")),
    "leave_session": (with_active, lambda j: j.leave_session(j.get_session_id())),
    "resolve_by_check": (
        with_active,
        lambda j: j.resolve_by_check(j.get_current().id, OutcomeStatus.CONFIRMED, "exit status 0"),
    ),
}


def in_child(work: Callable[[], object]) -> tuple[int, str]:
    """Run `work` in a process of its own; its exit status and what it returned or why it failed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        status, said = 0, ""
        try:
            said = json.dumps(work())
        except BaseException:  # noqa: BLE001 - the parent is told, then the child ends
            status, said = 1, traceback.format_exc()
        FAULTS.disarm()
        os.write(writer, said.encode())
        os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read().decode()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def run(folder: Path, call: Call) -> None:
    call(open_journal(folder))


def stopped(folder: Path, call: Call, at: int) -> None:
    """`call` in a process that ends at moment `at`."""

    def work() -> None:
        FAULTS.arm(at)
        run(folder, call)

    status, said = in_child(work)
    assert status == faults_module.EXIT_STATUS, f"not stopped: {status} {said}"


def full(folder: Path, call: Call, at: int) -> None:
    """`call` on a disk that is full at moment `at`: it says so, and the same process can go on at once."""

    def act() -> None:
        journal = open_journal(folder)
        FAULTS.arm(at, faults_module.fail_full)
        try:
            call(journal)
        except OSError:
            FAULTS.disarm()
        else:
            raise AssertionError("no error was raised")
        journal.increment_tool_count()

    status, said = in_child(act)
    assert status == 0, said


def moments(template: Path, call: Call, *, constructor: bool = True) -> list[str]:
    """The moments of `call`, and the proof that it writes nothing past them."""
    folder = copy(template)

    def work() -> list[str]:
        journal = open_journal(folder)
        FAULTS.arm()
        call(open_journal(folder) if constructor else journal)
        assert FAULTS.unseen == [], FAULTS.unseen
        return FAULTS.moments

    status, said = in_child(work)
    assert status == 0, said
    shutil.rmtree(folder.parent)
    found: list[str] = json.loads(said)
    return found


def copy(template: Path) -> Path:
    folder = Path(tempfile.mkdtemp(dir=template.parent)) / "journal"
    shutil.copytree(template, folder)
    return folder


def known(folder: Path) -> set[str]:
    """The goals in the journal."""

    journal = open_journal(folder)
    current = journal.get_current()
    return {entry.goal for entry in [*journal.get_all_entries(), *filter(None, [current])]}


def check(folder: Path, before: set[str]) -> None:
    """No entry lost, none twice, and the journal can be used: it is used up to an empty, tidy end."""
    journal = open_journal(folder)
    current = journal.get_current()
    filed = journal.get_all_entries()
    goals = Counter(entry.goal for entry in [*filed, *filter(None, [current])])
    assert set(goals) - {"new"} == before, f"{before} became {set(goals)}"
    assert max(goals.values(), default=1) == 1, f"twice: {goals}"
    assert current is None or current.outcome is None
    assert all(entry.outcome for entry in filed)
    if current is not None:
        journal.update_ghap(note="after the crash")
        journal.resolve_ghap(OutcomeStatus.CONFIRMED, "after the crash")
    file_one(journal, "afterwards")
    journal.end_session()
    lines = [line for path in (folder / "archive").iterdir() for line in path.read_bytes().split(b"\n") if line]
    stored = Counter(GHAPEntry.from_json(line).goal for line in lines if is_entry(line))
    assert stored == Counter({*goals, "afterwards"}), f"on disk: {stored}"
    left = {name for name in os.listdir(folder) if not name.startswith("session_entries.corrupted.")}
    assert left == {".gitignore", ".lock", ".tool_count", "archive"}, f"left over: {left}"


def is_entry(line: bytes) -> bool:
    """A line torn by a crash in the midst of archiving is passed over by every reader."""
    return line.endswith(b"}")


def again(folder: Path, first: int, second: str) -> Iterator[tuple[Path, str]]:
    """The journal after the fault; with a `second` call, copies in which that was stopped as well."""
    if not second:
        yield folder, ""
        return
    call = CALLS[second][1]
    for at, moment in enumerate(moments(folder, call)):
        if (first + at) % SECOND_STRIDE == 0:
            resumed = copy(folder)
            stopped(resumed, call, at)
            yield resumed, f", then {moment}"


def main(root: Path, mode: str, stride: int, name: str, second: str = "") -> dict[str, object]:
    prepare, call = CALLS[name]
    template = root / name / "template"

    def prepared() -> list[str]:
        run(template, prepare)
        return sorted(known(template))

    status, said = in_child(prepared)
    assert status == 0, said
    before = set(json.loads(said))
    found = moments(template, call, constructor=mode == "exit")
    failures = []
    points = 0
    for at, moment in list(enumerate(found))[::stride]:
        folder = copy(template)
        try:
            (stopped if mode == "exit" else full)(folder, call, at)
            for resumed, later in again(folder, at, second):
                points += 1
                status, said = in_child(lambda: check(resumed, before))  # noqa: B023 - runs at once
                assert status == 0, later + said
        except AssertionError as error:
            failures.append(f"{at} {moment}{error}")
        shutil.rmtree(folder.parent)
    return {"points": points, "moments": found, "failures": failures}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        _, kind, mode_word, stride_word, call_word, *more = sys.argv
        open_journal: Callable[[Path], Any] = {"journal": Journal, "collector": AwaitedCollector}[kind]
        names = CALLS if call_word == "all" else [call_word]
        print(json.dumps({name: main(Path(scratch), mode_word, int(stride_word), name, *more) for name in names}))
