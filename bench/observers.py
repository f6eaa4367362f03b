"""Measures how well the observers separate stuck agents from healthy ones, beside simpler rules, and their cost.

Read are the real runs in `../shared/data` where they lie (or in --data), by the labels that people gave them, and the
twins of the tests. A run loops when two of its steps are labelled Repetition or the manifest says that it loops; it is
healthy when none is, as are the transcripts, which are of supervised sessions. An alert is a finding above "info".

Rows, all shares of 1 but the costs: `RULE recall`, `RULE false alarms`, `RULE twins right` for the default set, each
observer alone, and the rules of others; `twins right` is the default set's. `stuck twins told`, `healthy twins told`,
`looping runs told` and `healthy runs told` are the shares of runs in which the agent gets a message. `cost at N` is the
time of a call in a session of N calls with every observer looking at every call, to the same at 20; `cost on disk at
N` the same for a call that is recorded in files.

    python bench/observers.py [--data DIR] [--rounds 60]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memorycli.commands.replay import transcript_calls
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

Calls = Sequence[dict[str, Any]]
Rule = Callable[[Sequence[ToolCallRecord]], list[int]]
DATA = Path(__file__).resolve().parent.parent.parent / "shared/data"
SIZES = (20, 2_000, 100_000)
LOOPS = re.compile(r"thrash|loop|cascade", re.IGNORECASE)


@dataclass(frozen=True)
class Run:
    """One run of an agent; `loops` is None where the labels are too few to say."""

    name: str
    calls: Calls
    loops: bool | None


@dataclass(frozen=True)
class Outcome:
    """The calls at which a rule alerts, those with a message to the agent, and the open findings at the end."""

    alerts: list[int]
    messages: list[int]
    standing: list[str]


def load(data: Path) -> list[Run]:
    """The runs below `data`; none where there is no such folder."""
    manifest = data / "trajectories/MANIFEST.md"
    shown = re.findall(r"^\| (\S+\.jsonl) \|(.*)$", manifest.read_text(), re.MULTILINE) if manifest.exists() else []
    said = {name: row.split("|")[4] for name, row in shown if row.count("|") > 4}
    runs = []
    for path in sorted((data / "trajectories").glob("*.jsonl")):
        content = path.read_bytes()
        repeated = content.count(b'"rel_to_prev": "Repetition"') + content.count(b'"rel_to_prev":"Repetition"')
        stuck = repeated >= 2 or bool(LOOPS.search(said.get(path.name, "")))
        runs.append(Run(path.stem, list(replay.from_jsonl(content)), stuck or (None if repeated else False)))
    for path in sorted((data / "transcripts").glob("*.jsonl")):
        runs += supervised(path)
    return runs


def supervised(path: Path) -> list[Run]:
    """The runs in a transcript, of the session's agent and of its sub-agents; all healthy, if they are long enough."""
    by_agent: dict[str, list[dict[str, Any]]] = {}
    for call in transcript_calls.calls_of(path):
        by_agent.setdefault(call["agent_id"], []).append(call)
    return [Run(f"{path.stem} {agent}".rstrip(), calls, False) for agent, calls in by_agent.items() if len(calls) >= 5]


def observed(configs: Sequence[ObserverConfig]) -> Callable[[Calls], Outcome]:
    """Return a function that runs a set of observers over a run."""

    def outcome(calls: Calls) -> Outcome:
        done = replay.run(calls, configs=configs)
        return Outcome(
            sorted({index for index, found in done.noted if found.severity != "info"}),
            [notification.call_index for notification in done.notifications],
            [f"{found.observer_name} ({found.severity})" for found in done.open_findings],
        )

    return outcome


def ruled(rule: Rule) -> Callable[[Calls], Outcome]:
    """Return a function that applies a rule to a run; each alert of it is a message."""

    def outcome(calls: Calls) -> Outcome:
        alerts = rule(recorded(calls))
        return Outcome(alerts, alerts, [])

    return outcome


def recorded(calls: Calls) -> list[ToolCallRecord]:
    session = Session()
    for given in calls:
        session.dispatch(RecordToolCall(records.from_row(row_of(given))))
    return list(session[ToolCallRecord].all())


def key(record: ToolCallRecord) -> tuple[str, str]:
    return record.tool_name, record.args_hash


def name_count(calls: Sequence[ToolCallRecord]) -> list[int]:
    """Every ten calls: is any name there three times among the last ten?"""
    ends = range(10, len(calls) + 1, 10)
    return [end for end in ends if max(Counter(one.tool_name for one in calls[end - 10 : end]).values()) >= 3]


def three_in_a_row(calls: Sequence[ToolCallRecord]) -> list[int]:
    """Three equal calls, one directly after the other, whatever came back."""
    return [end for end in range(3, len(calls) + 1) if len({key(one) for one in calls[end - 3 : end]}) == 1]


def openhands(calls: Sequence[ToolCallRecord]) -> list[int]:
    """Four equal calls with equal results, three with errors, or six calls A B A B A B, at the end."""

    def stuck(past: Sequence[ToolCallRecord]) -> bool:
        both = [(key(one), one.result_hash) for one in past[-6:]]
        four = len(past) >= 4 and len(set(both[-4:])) == 1
        three = (
            len(past) >= 3 and len({key(one) for one in past[-3:]}) == 1 and all(one.went_wrong for one in past[-3:])
        )
        six = len(both) == 6 and both[0::2] == [both[0]] * 3 and both[1::2] == [both[1]] * 3
        return four or three or six

    return [end for end in range(3, len(calls) + 1) if stuck(calls[max(0, end - 6) : end])]


def gemini(calls: Sequence[ToolCallRecord]) -> list[int]:
    """Five rounds of one to five equal calls, whatever came back."""

    def stuck(past: Sequence[ToolCallRecord]) -> bool:
        keys = [key(one) for one in past]
        return any(len(keys) >= 5 * period and keys[-5 * period :] == keys[-period:] * 5 for period in range(1, 6))

    return [end for end in range(5, len(calls) + 1) if stuck(calls[max(0, end - 25) : end])]


RULES: dict[str, Rule] = {
    "spec name count": name_count,
    "three in a row": three_in_a_row,
    "openhands": openhands,
    "gemini": gemini,
}


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def rated(name: str, judge: Callable[[Calls], Outcome], runs: list[Run], *, own: bool) -> dict[str, float]:
    """The rows of one rule, printed on the way. `own` rules hear each pair by its own configs."""
    outcomes = [(run, judge(run.calls)) for run in runs]
    looping = [outcome for run, outcome in outcomes if run.loops]
    healthy = [outcome for run, outcome in outcomes if run.loops is False]
    calls = sum(len(run.calls) for run in runs) or 1
    messages = sum(len(outcome.messages) for _, outcome in outcomes)
    caught = [one.alerts[0] for one in looping if one.alerts]
    right = sum(map(twins.is_right, twins.PAIRS)) if own else sum(tells_apart(judge, pair) for pair in twins.PAIRS)
    found = {
        f"{name} recall": share(len(caught), len(looping)),
        f"{name} false alarms": share(sum(bool(one.alerts) for one in healthy), len(healthy)),
        f"{name} twins right": share(right, len(twins.PAIRS)),
    }
    if not runs:
        found = {f"{name} twins right": found[f"{name} twins right"]}  # no row says 0 where nothing was measured
    figures = "".join(f"{value:>9.2f}" for value in found.values())
    first = f"{statistics.median(caught):.0f}" if caught else "-"
    print(f"{name:<26}{figures}{first:>9}{100 * messages / calls:>9.1f}")
    return found


def tells_apart(judge: Callable[[Calls], Outcome], pair: twins.Pair) -> bool:
    return bool(judge(pair.stuck).alerts) and not judge(pair.healthy).alerts


def judged(runs: list[Run]) -> dict[str, float]:
    if not runs:
        print("no real runs here: the twins alone are rated\n")
    heads = ["recall", "alarms", "twins"] if runs else ["twins"]
    print(f"{'':<26}{''.join(f'{head:>9}' for head in heads)}{'first':>9}{'per 100':>9}")
    default = rated("default set", observed(DEFAULT_OBSERVERS), runs, own=True)
    rows = default | {"twins right": default["default set twins right"]} | messages_given(runs)
    for rule, judge in RULES.items():
        rows |= rated(rule, ruled(judge), runs, own=False)
    for config in DEFAULT_OBSERVERS:
        rows |= rated(config.name, observed([config]), runs, own=False)
    return rows


def messages_given(runs: list[Run]) -> dict[str, float]:
    """Rows of the messages that an agent would get: to stuck and healthy twins, and in looping and healthy runs."""
    stuck = [bool(replay.run(pair.stuck, configs=pair.configs).notifications) for pair in twins.PAIRS]
    healthy = [bool(replay.run(pair.healthy, configs=pair.configs).notifications) for pair in twins.PAIRS]
    rows = {"stuck twins told": share(sum(stuck), len(stuck)), "healthy twins told": share(sum(healthy), len(healthy))}
    for name, loops in (("looping runs told", True), ("healthy runs told", False)):
        told = [bool(observed(DEFAULT_OBSERVERS)(run.calls).messages) for run in runs if run.loops is loops]
        rows |= {name: share(sum(told), len(told))} if told else {}
    return rows


def run_by_run(runs: list[Run]) -> None:
    """Print where each real run is first noticed, by which rule, and whether the finding closes."""
    print(f"\n{'run (call of the first alert)':<48}{'calls':>6}{'loops':>7}{'ours':>6}{'told':>18}", end="")
    print("".join(f"{name:>17}" for name in RULES), " open at the end")
    for run in runs:
        ours = observed(DEFAULT_OBSERVERS)(run.calls)
        told = ",".join(map(str, ours.messages)) or "-"
        others = [ruled(rule)(run.calls).alerts for rule in RULES.values()]
        loops = {True: "yes", False: "no", None: "?"}[run.loops]
        firsts = "".join(f"{alerts[0] if alerts else '-':>17}" for alerts in others)
        first = ours.alerts[0] if ours.alerts else "-"
        standing = ", ".join(ours.standing) or "nothing"
        print(f"{run.name[:47]:<48}{len(run.calls):>6}{loops:>7}{first:>6}{told:>18}{firsts}  {standing}")


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
    with tempfile.TemporaryDirectory() as home:
        memory, disk = in_memory(rounds), on_disk(rounds, Path(home))
    print(f"\n{'a call in a session of':<26}{'in memory':>14}{'on disk':>14}")
    for size in SIZES:
        print(f"{size:<26}{memory[size] * 1e6:>11.0f} us{disk[size] * 1e6:>11.0f} us")
    first, *larger = SIZES
    rows = {f"cost at {size}": memory[size] / memory[first] for size in larger}
    return rows | {f"cost on disk at {size}": disk[size] / disk[first] for size in larger}


def as_rows(found: Iterable[tuple[str, float]]) -> list[dict[str, object]]:
    return [{"what": name, "ratio": round(value, 3)} for name, value in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="where the real runs lie")
    parser.add_argument("--rounds", type=int, default=60, help="calls that are timed at each size (default 60)")
    args = parser.parse_args()
    runs = load(args.data)
    rows = judged(runs)
    run_by_run(runs)
    rows |= costs(args.rounds)
    print(json.dumps({"bench": "observers", "rows": as_rows(rows.items())}))


if __name__ == "__main__":
    main()
