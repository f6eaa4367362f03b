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
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.support.observer_costs import costs
from bench.support.observer_rules import RULES, Rule
from bench.support.observer_runs import Calls, Run, load, recorded
from tests.trajectory.local import twins
from trajectory.local import DEFAULT_OBSERVERS, ObserverConfig, replay

DATA = Path(__file__).resolve().parent.parent.parent / "shared/data"


@dataclass(frozen=True)
class Outcome:
    """The calls at which a rule alerts, those with a message to the agent, and the open findings at the end."""

    alerts: list[int]
    messages: list[int]
    standing: list[str]


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
