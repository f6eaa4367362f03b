"""Eight processes at once on one journal."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from ghap.local import GHAPEntry, counter
from tests.support.laptops.journals import current, run

PROCESSES = 8

PREAMBLE = """
import asyncio, sys, time
from pathlib import Path
from ghap.local import *
from ghap.local import counter
folder = Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
"""

BY_JOURNAL = """
journal = Journal(folder, lock_timeout=120)
for _ in range(200):
    journal.increment_tool_count()
"""

BY_COLLECTOR = """
async def work():
    journal = ObservationCollector(folder, lock_timeout=120)
    for _ in range(200):
        await journal.increment_tool_count()
asyncio.run(work())
"""

BY_HOOK = """
for _ in range(200):
    counter.increment(folder, timeout=120)
"""

CREATE = """
try:
    Journal(folder).create_ghap(Domain.TESTING, Strategy.ASK_USER, "g", "h", "a", "p")
except GHAPAlreadyActiveError:
    print("already active")
else:
    print("created")
"""

WHOLE_LIVES = """
journal = Journal(folder, lock_timeout=120)
resolved = 0
while resolved < 15:
    try:
        journal.create_ghap(Domain.TESTING, Strategy.ASK_USER, f"{sys.argv[2]} {resolved}", "h", "a", "p")
    except GHAPAlreadyActiveError:
        time.sleep(0.001)
        continue
    journal.update_ghap(note="n")
    journal.resolve_ghap(OutcomeStatus.CONFIRMED, "r")
    resolved += 1
    if resolved % 5 == 0:
        journal.start_session()
"""


def race(folder: Path, program: str) -> list[str]:
    """What each of the processes printed; they begin together."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PREAMBLE + program, str(folder), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=240) for process in started]
    assert [errors for _, errors in answers] == [""] * PROCESSES
    return [said.strip() for said, _ in answers]


@pytest.mark.parametrize("program", [BY_JOURNAL, BY_COLLECTOR, BY_HOOK], ids=["journal", "collector", "hook"])
def test_counts_of_eight_processes_add_up_exactly(program: str, tmp_path: Path) -> None:
    run(tmp_path, lambda journal: journal.start_session())
    race(tmp_path, program)
    assert counter.peek(tmp_path) == PROCESSES * 200


def test_eight_processes_racing_to_create_have_one_winner() -> None:
    for _ in range(2):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "project/.claude/journal"
            assert Counter(race(folder, CREATE)) == {"created": 1, "already active": PROCESSES - 1}
            assert current(folder) is not None


def test_eight_processes_living_on_one_journal_lose_and_double_nothing(tmp_path: Path) -> None:
    """While sessions begin between them, an entry may be resolved in a later one than it was begun in."""
    race(tmp_path, WHOLE_LIVES)
    run(tmp_path, lambda journal: journal.end_session())
    goals: Counter[str] = Counter()
    for path in (tmp_path / "archive").iterdir():
        goals.update(GHAPEntry.from_json(line).goal for line in path.read_bytes().split(b"\n") if line)
    assert goals == Counter(f"{number} {done}" for number in range(PROCESSES) for done in range(15))
