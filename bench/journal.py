"""How quick the journal is, as ratios measured in one run.

Rows `resolve with N`: resolving an entry in a session that holds N, to the same with none. Rows
`CALL beside bare write`: each call's median to that of a bare write, fsync and rename of as many bytes as
an active entry has. Everything is measured in turns, so that a busy moment meets all alike.

    python bench/journal.py [--rounds 200] [--folder DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ghap.local import Domain, GHAPEntry, ObservationCollector, OutcomeStatus, Strategy
from memoryserver.common import files

SIZES = (0, 200, 5000)
TEXT = "The flakiness is caused by a test that ran before and left state in the cache. " * 3

LINE = {
    "id": "ghap_20250101_000000_000000",
    "session_id": "session_20250101_000000_000000",
    "created_at": "2025-01-01T00:00:00Z",
    "domain": "debugging",
    "strategy": "root-cause-analysis",
    "goal": TEXT,
    "hypothesis": TEXT,
    "action": TEXT,
    "prediction": TEXT,
    "outcome": {"status": "confirmed", "result": TEXT, "captured_at": "2025-01-01T00:10:00Z"},
}

Journal = ObservationCollector
Step = Callable[[Journal], Awaitable[object]]


def create(journal: Journal) -> Awaitable[GHAPEntry]:
    return journal.create_ghap(Domain.DEBUGGING, Strategy.ROOT_CAUSE_ANALYSIS, TEXT, TEXT, TEXT, TEXT)


def resolve(journal: Journal) -> Awaitable[GHAPEntry]:
    return journal.resolve_ghap(OutcomeStatus.CONFIRMED, TEXT)


async def nothing(journal: Journal) -> None:
    """No preparation."""


async def one_filed(journal: Journal) -> None:
    """One resolved entry in the session."""
    await create(journal)
    await resolve(journal)


async def orphan(journal: Journal) -> None:
    """An active entry of an earlier session."""
    await create(journal)
    await journal.start_session()


async def filed_and_active(journal: Journal) -> None:
    """One resolved entry and an active one."""
    await one_filed(journal)
    await create(journal)


CALLS: dict[str, tuple[Step, Step]] = {
    "create_ghap": (nothing, create),
    "update_ghap": (create, lambda journal: journal.update_ghap(hypothesis="another")),
    "resolve_ghap": (create, resolve),
    "abandon_ghap": (create, lambda journal: journal.abandon_ghap(TEXT)),
    "get_current": (create, lambda journal: journal.get_current()),
    "get_session_entries": (one_filed, lambda journal: journal.get_session_entries()),
    "has_orphaned_entry": (orphan, lambda journal: journal.has_orphaned_entry()),
    "get_orphaned_entry": (orphan, lambda journal: journal.get_orphaned_entry()),
    "adopt_orphan": (orphan, lambda journal: journal.adopt_orphan()),
    "abandon_orphan": (orphan, lambda journal: journal.abandon_orphan(TEXT)),
    "start_session": (one_filed, lambda journal: journal.start_session()),
    "get_session_id": (nothing, lambda journal: journal.get_session_id()),
    "end_session": (filed_and_active, lambda journal: journal.end_session()),
    "increment_tool_count": (nothing, lambda journal: journal.increment_tool_count()),
    "should_check_in": (create, lambda journal: journal.should_check_in()),
    "reset_tool_count": (nothing, lambda journal: journal.reset_tool_count()),
}


def bare_write(path: Path, content: bytes) -> None:
    """What any careful writer pays at the least."""
    temporary = path.with_suffix(".new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(descriptor, content)
    os.fsync(descriptor)
    os.close(descriptor)
    os.rename(temporary, path)


async def timed(call: Awaitable[object]) -> float:
    start = time.perf_counter()
    await call
    return time.perf_counter() - start


def fill_session(folder: Path, entries: int) -> None:
    """Make the session hold so many resolved entries, all on disk."""
    path = folder / "session_entries.jsonl"
    path.unlink(missing_ok=True)
    files.sync_folder(folder)
    lines = [json.dumps(LINE | {"id": f"ghap_20250101_000000_{number:06}"}) + "\n" for number in range(entries)]
    if lines:
        files.write_atomic(path, "".join(lines))


async def resolve_by_size(root: Path, rounds: int) -> dict[str, float]:
    """Median seconds of resolving, by how many entries the session holds.

    The large sessions grow by one a round: filling them again would leave the disk busy with that.
    """
    times: dict[int, list[float]] = {size: [] for size in SIZES}
    journals = {size: Journal(root / f"with-{size}") for size in SIZES}
    for number in range(rounds):
        for size, journal in journals.items():
            if number == 0 or size == 0:
                fill_session(journal.journal_dir, size)
            await create(journal)
            times[size].append(await timed(resolve(journal)))
    return {f"resolve with {size}": statistics.median(seconds) for size, seconds in times.items()}


async def calls_beside_bare_write(root: Path, rounds: int) -> tuple[dict[str, float], float]:
    """Median seconds of each call, and of the bare write beside it."""
    times: dict[str, list[float]] = {name: [] for name in CALLS}
    journals = {name: Journal(root / name) for name in CALLS}
    bare = []
    content = json.dumps(LINE, indent=2).encode()
    for _ in range(rounds):
        for name, (prepare, call) in CALLS.items():
            journal = journals[name]
            await journal.end_session()
            await journal.start_session()
            await prepare(journal)
            times[name].append(await timed(call(journal)))
            start = time.perf_counter()
            bare_write(journal.journal_dir / "bare", content)
            bare.append(time.perf_counter() - start)
    medians = {f"{name} beside bare write": statistics.median(seconds) for name, seconds in times.items()}
    return medians, statistics.median(bare)


async def measure(root: Path, rounds: int) -> list[dict[str, object]]:
    by_size = await resolve_by_size(root, rounds)
    by_call, bare = await calls_beside_bare_write(root, rounds)
    first = by_size["resolve with 0"]
    rows = [(what, seconds, seconds / first) for what, seconds in by_size.items()]
    rows += [(what, seconds, seconds / bare) for what, seconds in by_call.items()]
    print(f"{'':<42}{'median':>10}{'ratio':>8}")
    print(f"{'bare write, fsync, rename':<42}{bare * 1e6:>7.0f} us")
    for what, seconds, ratio in rows:
        print(f"{what:<42}{seconds * 1e6:>7.0f} us{ratio:>8.2f}")
    return [{"what": what, "ratio": round(ratio, 3)} for what, _, ratio in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200, help="repetitions of each row (default 200)")
    parser.add_argument("--folder", type=Path, help="the disk to measure on (default: that of temporary files)")
    args = parser.parse_args()
    root = Path(tempfile.mkdtemp(dir=args.folder))
    try:
        rows = asyncio.run(measure(root, args.rounds))
    finally:
        shutil.rmtree(root)
    print(json.dumps({"bench": "journal", "rows": rows}))


if __name__ == "__main__":
    main()
