"""Ten thousand inputs of every broken kind for the hook: status 0, no traceback, an answer or none, journal intact.

Most are handed to the hook's entry in a few long processes; every twentieth to a process of its own, as an agent
starts it. Prints what was found; the rows are shares of inputs: `faults`, `answers`.

    python bench/hook_fuzz.py [--count 10000] [--seed 0]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memorycli.hook import command as hook_command
from tests.support.agents.hook_fuzzer import begin, checked, damage
from tests.support.agents.hook_inputs import Inputs

ROOT = Path(__file__).resolve().parent.parent
CHUNK = 1000


def in_long_processes(folder: Path, count: int, seed: int) -> list[dict[str, Any]]:
    """What came of `count` inputs, a thousand a process, all with the same home and project."""
    found: list[dict[str, Any]] = []
    for number, start in enumerate(range(0, count, CHUNK)):
        command = [sys.executable, "-m", "tests.support.agents.hook_fuzzer", str(folder / f"project {number}")]
        (folder / f"project {number}" / ".git").mkdir(parents=True)
        many = min(CHUNK, count - start)
        done = subprocess.run([*command, str(many), str(seed + number)], cwd=ROOT, capture_output=True, check=False)
        if done.returncode or done.stderr:
            found.append({"inputs": many, "answers": 0, "faults": [done.stderr.decode()[-500:] or "it died"]})
        else:
            found.append(json.loads(done.stdout))
        print(f"{start + many:>7} inputs, {sum(len(one['faults']) for one in found)} faults", flush=True)
    return found


def in_own_processes(folder: Path, count: int, seed: int) -> dict[str, Any]:
    """What came of `count` inputs, each with a process of its own."""
    project = folder / "own"
    (project / ".git").mkdir(parents=True)
    journal = project / ".claude/journal"
    begun: set[str] = set()
    faults: list[str] = []
    answers = 0
    for number, data in enumerate(itertools.islice(Inputs(seed, str(project)), count)):
        if number % 40 == 0:
            begun |= begin(journal)
        done = subprocess.run(hook_command.argv(), input=data, cwd=project, capture_output=True, check=False)
        said, problem = checked(done.returncode, done.stdout, done.stderr)
        answers += bool(said)
        faults += [f"{problem}: {data[:200]!r}"] if problem else []
    return {"inputs": count, "answers": answers, "faults": faults + damage(journal, begun)}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hook fuzz ü ") as name:
        os.environ["MEMORYSERVER_HOME"] = str(Path(name) / "home")
        for variable in ("MEMORYSERVER_URL", "CLAUDE_PROJECT_DIR", "MEMORYSERVER_JOURNAL_DIR"):
            os.environ.pop(variable, None)
        own = arguments.count // 20
        found = in_long_processes(Path(name), arguments.count - own, arguments.seed)
        found.append(in_own_processes(Path(name), own, arguments.seed + 1_000_000))
    faults = [fault for one in found for fault in one["faults"]]
    inputs, answers = (sum(one[key] for one in found) for key in ("inputs", "answers"))
    print(f"{inputs} inputs, {answers} answered, {len(faults)} faults")
    for fault in faults[:10]:
        print(f"  {fault}")
    rows = [{"what": "faults", "ratio": len(faults) / inputs}, {"what": "answers", "ratio": round(answers / inputs, 3)}]
    print(json.dumps({"bench": "hook_fuzz", "rows": rows}))


if __name__ == "__main__":
    main()
