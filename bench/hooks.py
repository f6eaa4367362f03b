"""What a hook costs the agent that waits for it: whole processes, as ratios to `python -c "import json"` beside them.

Rows: `post_tool_use quiet` writes a record and runs no observer, at `post_tool_use observers` all of them are due and
the agent is told; `session_start` has a full cache and an entry that was left; `eight at once` is eight quiet hooks to
eight of the other; `call 20000` is a call of a session of 20,000 calls to one of a session of 20; `node` is
`node -e 0`, which the usual memory plugins start. Medians, measured in turns, so that a busy moment meets all alike.

    python bench/hooks.py [--rounds 30]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memorycli.hook import command as hook_command

BASELINE = [sys.executable, "-c", "import json"]
GOALS = {
    "post_tool_use quiet": 2.0,
    "post_tool_use observers": 2.5,
    "session_start": 2.5,
    "eight at once": 2.0,
    "call 20000": 1.0,
}
OUTPUT = "".join(f"src/module_{n}.py: {n * 37} lines read\n" for n in range(30))
ENTRY = {
    "id": "ghap_20250101_000000_000000",
    "session_id": "session_20250101_000000_000000",
    "created_at": "2025-01-01T00:00:00Z",
    "domain": "debugging",
    "strategy": "read-the-error",
    "goal": "Fix the flaky cache test",
    "hypothesis": "A test before it leaves state",
    "action": "Clear the cache in teardown",
    "prediction": "50 runs in sequence pass",
}


class Laptop:
    """A home folder and a project, which each measured call finds as they were prepared."""

    def __init__(self, root: Path, name: str) -> None:
        self.home, self.project = root / name / "home", root / name / "project"
        self._kept = root / f"{name}.kept"
        (self.project / ".git").mkdir(parents=True)
        self.environment = {**os.environ, "MEMORYSERVER_HOME": str(self.home), "CLAUDE_PROJECT_DIR": str(self.project)}
        self.environment.pop("MEMORYSERVER_URL", None)

    def event(self, name: str, **fields: Any) -> bytes:
        """An event of the session."""
        common = {"session_id": "bench", "cwd": str(self.project), "hook_event_name": name}
        return json.dumps(common | fields).encode()

    def call(self, number: int, **fields: Any) -> bytes:
        """A finished call of a shell, the same for the same `number`."""
        given = {
            "tool_name": "Bash",
            "tool_use_id": f"toolu_{number}",
            "tool_input": {"command": f"wc -l src/part_{number}/*.py"},
            "tool_response": {"stdout": f"{number}\n{OUTPUT}", "stderr": "", "interrupted": False},
        }
        return self.event("PostToolUse", **given | fields)

    def failure(self, number: int) -> bytes:
        """A call that fails, always in the same way."""
        error = f"Exit code 2\n{OUTPUT}make: *** No rule to make target 'all'. Stop."
        given = {"tool_name": "Bash", "tool_input": {"command": "make all"}, "error": error, "is_interrupt": False}
        return self.event("PostToolUseFailure", tool_use_id=f"toolu_{number}", **given)

    def run(self, data: bytes) -> bytes:
        """The hook with that event; what it answered."""
        done = subprocess.run(
            hook_command.argv(), input=data, env=self.environment, cwd=self.project, capture_output=True, check=True
        )
        assert not done.stderr, done.stderr
        return done.stdout

    def keep(self) -> None:
        """Let every later `reset` lead back to this moment."""
        shutil.copytree(self.home.parent, self._kept)

    def reset(self) -> None:
        """Undo what was done since `keep`."""
        shutil.rmtree(self.home.parent)
        shutil.copytree(self._kept, self.home.parent)

    def assessment(self) -> bytes:
        """The open findings."""
        return (self.project / ".wink/trajectory/assessment.md").read_bytes()

    def log(self) -> str:
        """What went wrong."""
        path = self.home / "logs/hook.log"
        return path.read_text() if path.exists() else ""


def quiet(root: Path) -> Laptop:
    """One call was recorded, so the next observer is due some calls later."""
    laptop = Laptop(root, "quiet")
    laptop.run(laptop.call(1))
    laptop.keep()
    return laptop


def failing(root: Path) -> Laptop:
    """The same call failed fifteen times, and the agent was notified fifteen calls ago."""
    laptop = Laptop(root, "failing")
    for number in range(15):
        laptop.run(laptop.failure(number))
    laptop.keep()
    return laptop


def starting(root: Path) -> Laptop:
    """A journal with an entry that was left, and a context as long as one may be."""
    laptop = Laptop(root, "starting")
    journal = laptop.project / ".claude/journal"
    journal.mkdir(parents=True)
    (journal / "current_ghap.json").write_text(json.dumps(ENTRY))
    os.environ["MEMORYSERVER_HOME"] = str(laptop.home)
    from memoryserver.client import context_cache

    text = "".join(f"- learning {n}: {ENTRY['goal']}; {ENTRY['hypothesis']}. [{n}]\n" for n in range(400))
    documents = [f"learnings/{n}" for n in range(100)]
    context_cache.store(laptop.project.name, "http://127.0.0.1:8000", text, documents=documents)
    laptop.keep()
    return laptop


def long_session(root: Path, calls: int) -> Laptop:
    """A session with so many recorded calls."""
    laptop = Laptop(root, f"calls {calls}")
    laptop.run(laptop.call(1))
    path = laptop.home / "trajectory/bench/calls.jsonl"
    row = json.loads(path.read_bytes())
    with path.open("w") as file:
        for index in range(1, calls + 1):
            row |= {"call_index": index, "tool_use_id": f"toolu_{index}", "args_hash": f"{index:032x}"}
            row |= {"result_key": f"{index:024x}", "timestamp": "2025-01-01T00:00:00Z"}
            file.write(json.dumps(row, separators=(",", ":")) + "\n")
    laptop.run(laptop.call(calls + 1))
    state_path = path.with_name("state.json")
    state = json.loads(state_path.read_bytes())
    state["plan"] |= {"at_call": 10 * calls, "at_time": None}  # nobody is due, in the one session as in the other
    state_path.write_text(json.dumps(state))
    laptop.keep()
    return laptop


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def at_once(command: list[str], laptop: Laptop, events: list[bytes]) -> None:
    """`command` once for each event, all at the same time."""
    processes = []
    for data in events:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=laptop.environment, cwd=laptop.project
        )
        assert process.stdin
        process.stdin.write(data)
        process.stdin.close()
        processes.append(process)
    assert [process.wait() for process in processes] == [0] * len(events)


def measure(root: Path, rounds: int) -> dict[str, list[float]]:
    """The times of each measurement, in seconds."""
    calm, stuck, new = quiet(root), failing(root), starting(root)
    short, long = long_session(root, 20), long_session(root, 20_000)
    eight = [calm.call(100 + number) for number in range(8)]
    assert not calm.run(calm.call(2))
    assert b"#16 " not in stuck.assessment()
    stuck.run(stuck.failure(99))
    assert b"#16 " in stuck.assessment()
    assert b"learning 0" in new.run(new.event("SessionStart", source="startup"))

    def bare() -> None:
        subprocess.run(BASELINE, env=calm.environment, cwd=calm.project, stdin=subprocess.DEVNULL, check=True)

    steps: dict[str, tuple[Laptop, Callable[[], object]]] = {
        "baseline": (calm, bare),
        "post_tool_use quiet": (calm, lambda: calm.run(calm.call(2))),
        "post_tool_use observers": (stuck, lambda: stuck.run(stuck.failure(99))),
        "session_start": (new, lambda: new.run(new.event("SessionStart", source="startup"))),
        "eight baselines": (calm, lambda: at_once(BASELINE, calm, [b""] * 8)),
        "eight at once": (calm, lambda: at_once(hook_command.argv(), calm, eight)),
        "call 20": (short, lambda: short.run(short.call(50_000))),
        "call 20000": (long, lambda: long.run(long.call(50_000))),
    }
    node = shutil.which("node")
    if node:
        steps["node"] = (calm, lambda: subprocess.run([node, "-e", "0"], check=True))
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, (laptop, step) in steps.items():
            laptop.reset()
            times[name].append(timed(step))
    for laptop in (calm, stuck, new, short, long):
        assert not laptop.log(), laptop.log()
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hooks ü ") as folder:
        times = measure(Path(folder), arguments.rounds)
    medians = {name: statistics.median(found) for name, found in times.items()}
    beside = {"eight at once": "eight baselines", "call 20000": "call 20"}
    rows = []
    print(f"{'':<26}{'ms':>8}{'beside ms':>11}{'ratio':>8}{'goal':>7}")
    for name in (*GOALS, "node"):
        if name not in medians:
            print(f"{name:<26}not on this machine")
            continue
        other = medians[beside.get(name, "baseline")]
        ratio = medians[name] / other
        print(f"{name:<26}{medians[name] * 1e3:>8.1f}{other * 1e3:>11.1f}{ratio:>8.2f}{GOALS.get(name, ''):>7}")
        rows.append({"what": name, "ratio": round(ratio, 3)})
    print(json.dumps({"bench": "hooks", "rows": rows}))


if __name__ == "__main__":
    main()
