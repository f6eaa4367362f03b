"""End a process at each file operation of the journal, of the channels and of capture, or fill the disk there.

    python bench/proofs/crash_points.py

Afterwards nothing may be lost and nothing doubled. `make test` tries every third operation. A row is the share of
operations after which something was wrong. Ends with status 1 if there are any, with what was wrong.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from memorycli.delivery.channels import CHANNELS
from tests.ghap.local.test_journal_crash import COLLECTOR_CALLS

ROOT = Path(__file__).resolve().parents[2]
EVERY = "1"


def report(module: str, *words: str) -> dict[str, Any]:
    """Run a module of the tests that stops a process, and return what it prints."""
    command = [sys.executable, "-m", f"tests.{module}", *words]
    printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    result: dict[str, Any] = json.loads(printed)
    return result


def reports() -> Iterator[tuple[str, int, list[str]]]:
    """Yield what was stopped, at how many operations, and what was wrong after which of them."""
    for mode in ("exit", "full"):
        for call, found in report("ghap.local.crash", "journal", mode, EVERY, "all").items():
            yield f"journal, {call}, {mode}", found["points"], found["failures"]
        for call in COLLECTOR_CALLS:
            found = report("ghap.local.crash", "collector", mode, EVERY, call)[call]
            yield f"collector, {call}, {mode}", found["points"], found["failures"]
        found = report("capture.local.scanning.crash", mode, EVERY)
        yield f"cycle of capture, {mode}", len(found["moments"]), found["failures"]
    again = ("end_session", "end_session")
    found = report("ghap.local.crash", "journal", "exit", EVERY, *again)["end_session"]
    yield "journal, end_session and its recovery, exit", found["points"], found["failures"]
    for channel in CHANNELS:
        found = report("memorycli.delivery.channel_crash", EVERY, channel)[channel]
        yield f"channel {channel}, exit", found["points"], found["failures"]


def main() -> None:
    """Stop them one after the other and print the rows."""
    rows, failures = [], []
    for what, points, wrong in reports():
        print(f"{what:<50}{points:>6} operations{len(wrong):>5} wrong", flush=True)
        for line in wrong:
            print(f"  {line}", flush=True)
        rows.append({"what": what, "ratio": round(len(wrong) / points, 3)})
        failures += [f"{what}: {line}" for line in wrong]
    print(json.dumps({"bench": "crash_points", "rows": rows, "failures": failures}))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
