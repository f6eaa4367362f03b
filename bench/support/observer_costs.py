"""What a recorded call costs by the size of its session."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.support.observer_runs import recorded
from tests.trajectory.local import twins
from trajectory.local import (
    DEFAULT_OBSERVERS,
    DriftDetector,
    ObserverConfig,
    ObserverTrigger,
    Pace,
    RecordToolCall,
    Session,
    StallDetector,
    ToolCallRecord,
    TrajectoryObserver,
    recorder,
    replay,
    store,
)
from trajectory.local.calls import record as records
from trajectory.local.calls.row import row_of
from trajectory.local.engine import runner

SIZES = (20, 2_000, 100_000)


def every_observer() -> list[ObserverConfig]:
    """All there are, each at every call."""
    more: list[TrajectoryObserver] = [
        Pace(seconds=10**6, calls=10**6),
        DriftDetector(frozenset({"src/"})),
        StallDetector(),
    ]
    observers: list[TrajectoryObserver] = [config.observer for config in DEFAULT_OBSERVERS]
    observers += more
    return [ObserverConfig(observer, ObserverTrigger(on_every_call=True)) for observer in observers]


def some_call(n: int) -> dict[str, Any]:
    """The n-th of an agent at work: reads, edits, and a test that comes out differently."""
    kinds: tuple[Callable[[], dict[str, Any]], ...] = (
        lambda: twins.read(f"src/{n}.py"),
        lambda: twins.edit(f"src/{n}.py", f"a{n}", f"b{n}"),
        lambda: twins.bash("pytest -q", f"{n} passed in 0.1s"),
        lambda: twins.bash(f"grep x{n} src", error="Exit code 2\ngrep: src: Is a directory"),
    )
    return kinds[n % 4]()


def session_with(size: int) -> Session:
    """A session that holds `size` calls."""
    kept = recorded([some_call(n) for n in range(min(size, 200))])
    session = Session()
    for start in range(0, size, len(kept)):
        for record in kept[: size - start]:
            session[ToolCallRecord].append(replace(record, call_index=start + record.call_index))
    return session


def in_memory(rounds: int) -> dict[int, float]:
    """Seconds of a call by the size of its session, the median of `rounds`, measured in turns."""
    sessions = {size: session_with(size) for size in SIZES}
    configs, times = every_observer(), {size: list[float]() for size in SIZES}
    files = {size: replay.MemoryFilesystem() for size in SIZES}
    for n in range(rounds):
        record = records.from_row(row_of(some_call(10**6 + n)))
        for size, session in sessions.items():
            begun = time.perf_counter()
            session.dispatch(RecordToolCall(record))
            runner.run_observers(session, configs, files[size])
            times[size].append(time.perf_counter() - begun)
    return {size: statistics.median(spent) for size, spent in times.items()}


def on_disk(rounds: int, home: Path) -> dict[int, float]:
    """The same where the calls are kept in files; what is due is looked at, as in a hook."""
    os.environ["MEMORYSERVER_HOME"] = str(home)
    project = home / "project"
    project.mkdir()
    for size in SIZES:
        recorder.record_report(some_call(0) | {"session_id": str(size)}, project)
        trajectory = store.trajectory(str(size))
        row = trajectory.last() or {}
        with (trajectory.folder / store.CALLS).open("a") as file:
            for n in range(2, size + 1):
                file.write(json.dumps(row | {"call_index": n, "args_hash": f"{n}", "result_key": f"{n}"}) + "\n")
    times = {size: list[float]() for size in SIZES}
    for n in range(rounds):
        for size, spent in times.items():
            begun = time.perf_counter()
            recorder.record_report(some_call(10**6 + n) | {"session_id": str(size)}, project)
            spent.append(time.perf_counter() - begun)
    return {size: statistics.median(spent) for size, spent in times.items()}


def costs(rounds: int) -> dict[str, float]:
    """Print the time of a call at each size and return the rows: the time beside that at the smallest."""
    with tempfile.TemporaryDirectory() as home:
        memory, disk = in_memory(rounds), on_disk(rounds, Path(home))
    print(f"\n{'a call in a session of':<26}{'in memory':>14}{'on disk':>14}")
    for size in SIZES:
        print(f"{size:<26}{memory[size] * 1e6:>11.0f} us{disk[size] * 1e6:>11.0f} us")
    first, *larger = SIZES
    rows = {f"cost at {size}": memory[size] / memory[first] for size in larger}
    return rows | {f"cost on disk at {size}": disk[size] / disk[first] for size in larger}
