"""Transcripts of gigabytes: what a scan holds of them is bounded by the batch and not by the file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support.laptops.capture_laptop import Laptop, cause

GIGABYTES = 3 * 1024**3
MOST_MEGABYTES = 50
SCAN = """
import json, resource, sys
from pathlib import Path
from capture.local.scanning.scanner import scan
home, root = map(Path, sys.argv[1:])
report = scan(home, [root])
status = Path("/proc/self/status")
if status.exists():  # what getrusage tells counts what the process had before it became this program
    (peak,) = (int(line.split()[1]) // 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024**2
print(json.dumps([report.messages, report.problems, peak]))
"""


def scanned(laptop: Laptop) -> tuple[int, list[str], int]:
    """Messages, problems and the peak of memory, in megabytes, of a process that scans."""
    command = [sys.executable, "-c", SCAN, str(laptop.home), str(laptop.root)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[4])
    messages, problems, peak = json.loads(done.stdout)
    return messages, problems, peak


def test_a_file_of_3_gigabytes_is_read_to_its_end_within_50_megabytes(laptop: Laptop):
    laptop.transcript.agent(cause(1))
    for at, number in ((GIGABYTES // 2, 2), (GIGABYTES, 3)):
        with laptop.transcript.path.open("r+b") as file:
            file.truncate(at)  # NULs, as a crash leaves them; sparse: no disk is used
        laptop.transcript.raw(b"\n")
        laptop.transcript.agent(cause(number))
    messages, problems, peak = scanned(laptop)
    assert (messages, problems, laptop.queued()) == (3, [], [cause(1), cause(2), cause(3)])
    assert peak < MOST_MEGABYTES


def test_lines_of_15_megabytes_are_read_within_50_megabytes(laptop: Laptop):
    picture = {"type": "image", "source": {"data": "A" * 15_000_000}}
    laptop.transcript.person([{"type": "text", "text": "look"}, picture])
    laptop.transcript.use("c1", "Write", {"file_path": "/nowhere/a", "content": 'x = "\u00e9"\n' * 1_000_000})
    laptop.transcript.result("c1", "done", toolUseResult={"originalFile": "y\n" * 5_000_000})
    laptop.transcript.agent(cause(1))
    messages, problems, peak = scanned(laptop)
    assert (messages, problems, laptop.queued()) == (4, [], [cause(1)])
    assert peak < MOST_MEGABYTES
