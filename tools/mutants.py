"""Mutants of the modules in which a mistake loses data or shows it to a stranger: does a test notice each one?

    make mutants ARGS="[--area journal] [--sample 40] [--seed 1] [--only store.py] [--results var/mutants.jsonl]"

A mutant is a module with one small change (`tools/mutations.py`). For each one the tests of its area run,
those of the module first, until one fails; the mutant is then killed. A run that takes three times as long as it does
without a mutant counts as killed too (timeout). The checkout itself is never changed: everything happens in a copy of
it.

Results are appended to a file, so a run that was interrupted goes on where it stopped; a survivor is tried again when
the tests of its area have changed. `tools/equivalent_mutants.txt` names the mutants that behave as the original.
The last line is a JSON object with the share that is killed by area. Exits with 1 where a mutant survived.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memoryserver.home.intervals import wilson
from tools.mutants_copy import ROOT, Copy
from tools.mutations import Mutant, places

EQUIVALENT = ROOT / "tools" / "equivalent_mutants.txt"
SLOWER = 3.0  # than without a mutant
SHORTEST_LIMIT = 60.0  # seconds
LONGEST = 1800.0  # seconds; the tests of an area without a mutant


@dataclass(frozen=True)
class Area:
    """Modules to mutate, and the tests that run after those of the mutated module, quick ones first."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


AREAS = {
    "journal": Area(
        (
            *(f"ghap/local/{name}.py" for name in ("journal", "store", "sessions", "session_file", "counter")),
            *(f"ghap/local/{name}.py" for name in ("layout", "active", "changes", "lines", "copies")),
            *("ghap/local/sync.py", "ghap/local/server_answers.py", "memoryserver/common/files.py"),
        ),
        ("tests/memoryserver/common/test_files.py", "tests/ghap/local"),
    ),
    "outbox": Area(
        (
            *(f"memoryserver/client/{name}.py" for name in ("outbox", "delivery", "discarded", "sync_state")),
            "memoryserver/common/backoff.py",
        ),
        ("tests/memoryserver/client/test_outbox.py", "tests/memorycli/delivery"),
    ),
    "queue": Area(
        tuple(
            f"capture/local/queue/{name}.py" for name in ("alerts", "files", "ledger", "processor", "retries", "sink")
        ),
        ("tests/capture/local/queue",),
    ),
    "intake": Area(
        ("ghap/intake.py", "trajectory/intake.py", "capture/sink.py", "capture/incoming.py", "obslog/incoming.py"),
        (
            *("tests/ghap/test_api.py", "tests/trajectory/test_api.py", "tests/capture/test_api.py"),
            *("tests/obslog/test_api.py", "tests/trajectory/test_ending.py", "tests/memoryserver/test_ingest_races.py"),
        ),
    ),
    "backlog": Area(("memoryserver/vectors/backlog.py",), ()),
    "visibility": Area(("memoryserver/accounts/visibility.py", "memoryserver/admin/read_only.py"), ()),
}


def tests_of(module: str, area: Area) -> tuple[list[str], list[str]]:
    """Return the tests of the module, and those of its area; tests with many processes come last."""
    path = Path(module)
    own = sorted((ROOT / "tests" / path.parent).glob(f"test_{path.stem}*.py"), key=lambda test: (_is_slow(test), test))
    return [str(test.relative_to(ROOT)) for test in own], list(area.tests)


def _is_slow(test: Path) -> bool:
    return test.stem.endswith(("_concurrency", "_corruption", "_crash", "_machine"))


def sample(area: Area, size: int | None, seed: int, only: str) -> list[Mutant]:
    """Return one mutant for each of `size` places of the area's modules (None: for all places), by module and line."""
    random = Random(seed)
    candidates = [place for module in area.modules for place in places(module, (ROOT / module).read_text("utf-8"))]
    random.shuffle(candidates)
    mutants: dict[tuple[str, str], Mutant] = {}
    for place in candidates:
        if only not in f"{place.path}:{place.line}":
            continue
        mutant = place.mutant(random)
        if mutant is not None:
            mutants.setdefault((mutant.path, mutant.source), mutant)
        if len(mutants) == size:
            break
    return sorted(mutants.values(), key=lambda mutant: (mutant.path, mutant.line))


def equivalents() -> dict[tuple[str, str], str]:
    """Return the reason by module and diff of the mutants that behave as the original."""
    reasons: dict[tuple[str, str], str] = {}
    for block in EQUIVALENT.read_text("utf-8").split("\n\n"):
        lines = [line for line in block.strip().splitlines() if not line.startswith("#")]
        if lines:
            reasons[lines[0], "\n".join(_stripped(lines[1:-1]))] = lines[-1].removeprefix("= ")
    return reasons


def _stripped(lines: list[str]) -> list[str]:
    """Return the lines of a diff without their indentation."""
    return [f"{line[0]} {line[1:].strip()}" for line in lines]


class Trial:
    """Runs the tests of mutants in a copy; what it finds out is appended to the file `results`."""

    def __init__(self, copy: Copy, results: Path) -> None:
        self._copy = copy
        self._results = results
        self._seconds: dict[tuple[str, ...], float] = {}
        results.parent.mkdir(parents=True, exist_ok=True)
        lines = results.read_text("utf-8").splitlines() if results.exists() else []
        self._known = {record["key"]: record for record in map(json.loads, lines)}

    def outcome(self, mutant: Mutant, area: Area) -> str:
        """Return "killed", "timeout" or "survived", from the file where the same was tried before."""
        stages = tests_of(mutant.path, area)
        key, tests = _digest(mutant.path, mutant.source), _digest(*_contents(stages))
        known = self._known.get(key)
        if known is not None and (known["outcome"] != "survived" or known["tests"] == tests):
            return str(known["outcome"])
        outcome = self._try(mutant, stages)
        record = {"key": key, "tests": tests, "outcome": outcome, "path": mutant.path, "diff": mutant.diff}
        with self._results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        return outcome

    def _try(self, mutant: Mutant, stages: Sequence[list[str]]) -> str:
        for tests in filter(None, stages):
            limit = max(SHORTEST_LIMIT, SLOWER * self._seconds_of(tests))
            with self._copy.changed(mutant.path, mutant.source):
                outcome, _ = self._copy.run(tests, limit)
            if outcome != "survived":
                return outcome
        return "survived"

    def _seconds_of(self, tests: Sequence[str]) -> float:
        """Return how long `tests` take without a mutant; ends the process where they fail."""
        if tuple(tests) not in self._seconds:
            began = time.monotonic()
            outcome, said = self._copy.run(tests, LONGEST)
            if outcome != "survived":
                sys.exit(f"{' '.join(tests)}: {outcome} without a mutant\n{said}")
            self._seconds[tuple(tests)] = time.monotonic() - began
        return self._seconds[tuple(tests)]


def _contents(stages: Sequence[list[str]]) -> Iterator[str]:
    for name in (name for tests in stages for name in tests):
        path = ROOT / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            yield file.read_text("utf-8")


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:20]


def run(args: argparse.Namespace, trial: Trial) -> tuple[dict[str, Counter[str]], list[Mutant]]:
    """Try the mutants and print each as it is done; return the outcomes counted by area, and the survivors."""
    reasons = equivalents()
    counts: dict[str, Counter[str]] = {}
    survivors = []
    for name in args.area or AREAS:
        counts[name] = Counter()
        mutants = sample(AREAS[name], args.sample, args.seed, args.only)
        for number, mutant in enumerate(mutants, 1):
            began = time.monotonic()
            is_equivalent = (mutant.path, "\n".join(_stripped(mutant.diff.splitlines()))) in reasons
            outcome = "equivalent" if is_equivalent else trial.outcome(mutant, AREAS[name])
            counts[name][outcome] += 1
            seconds = time.monotonic() - began
            print(f"{name} {number}/{len(mutants)} {mutant.path}:{mutant.line} {outcome}, {seconds:.0f} s", flush=True)
            if outcome == "survived":
                survivors.append(mutant)
                print(mutant.diff, flush=True)
    return counts, survivors


def summarise(counts: dict[str, Counter[str]]) -> list[dict[str, object]]:
    """Print a line for each area, and return the share that was killed by area."""
    columns = ("killed", "timeout", "survived", "equivalent")
    print(
        f"\n{'area':<12}{'mutants':>12}{''.join(f'{column:>12}' for column in columns)}{'percent':>10}  95 % interval"
    )
    rows: list[dict[str, object]] = []
    for name, count in counts.items():
        killed = count["killed"] + count["timeout"]
        total = killed + count["survived"]
        low, high = wilson(killed, total)
        share = killed / total if total else 1.0
        numbers = "".join(f"{count[column]:>12}" for column in columns)
        print(f"{name:<12}{count.total():>12}{numbers}{share:>10.1%}  {low:.1%} to {high:.1%}")
        rows.append({"what": f"{name}: mutants killed", "ratio": round(share, 3)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--area", action="append", choices=AREAS, help="only this area; may be given several times")
    parser.add_argument("--sample", type=int, help="mutants of each area, drawn at random (all)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (1)")
    parser.add_argument("--only", default="", help="only mutants whose PATH:LINE contains this")
    parser.add_argument("--results", type=Path, default=ROOT / "var" / "mutants.jsonl", help="(var/mutants.jsonl)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        copy = Copy(Path(folder))
        try:
            copy.prepare_database()
            counts, survivors = run(args, Trial(copy, args.results))
        finally:
            copy.stop()
    for mutant in survivors:
        print(f"\nsurvived: {mutant.path}:{mutant.line}\n{mutant.diff}")
    print(json.dumps({"bench": "mutants", "rows": summarise(counts)}))
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
