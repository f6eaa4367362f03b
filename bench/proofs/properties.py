"""Run the tests that try random inputs, or a part of all combinations, with many times as many inputs and with all.

    python bench/proofs/properties.py [--times 40]

How many those are is by `tests.support.examples`. Prints what came of each file; a row is the share of its tests that
failed. Ends with status 1 if any did, with what pytest says of it, and the input that pytest shrank it to.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.examples import TIMES

ROOT = Path(__file__).resolve().parents[2]
USE = re.compile(r"^from (hypothesis|tests\.support\.examples) import", re.MULTILINE)


def files() -> list[str]:
    """Return the files of tests that try random inputs or a part of all combinations."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    return [path.relative_to(ROOT).as_posix() for path in paths if USE.search(path.read_text())]


def failed_share(file: str, times: int) -> float:
    """Run the tests of `file`, print what came of it, and return the share of them that failed."""
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", file]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, TIMES: str(times)}, capture_output=True, text=True, check=False
    )
    counts = {what: int(number) for number, what in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    passed = counts.get("passed", 0)
    bad = sum(counts.values()) - passed
    if done.returncode and not bad:
        bad = 1  # it did not come as far as to its tests
    print(f"{file:<60}{passed:>5} passed{bad:>5} failed {time.monotonic() - began:>8.1f} s", flush=True)
    if bad:
        print(done.stdout + done.stderr, flush=True)
    return bad / (passed + bad or 1)


def main() -> None:
    """Run the files one after the other and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=40)
    arguments = parser.parse_args()
    rows = [{"what": file, "ratio": round(failed_share(file, arguments.times), 3)} for file in files()]
    failures = [row["what"] for row in rows if row["ratio"]]
    print(json.dumps({"bench": "properties", "rows": rows, "failures": failures}))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
