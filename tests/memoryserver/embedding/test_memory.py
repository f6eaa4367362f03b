"""Memory that is given back, of a process of its own."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import re, threading
from memoryserver.embedding import memory

def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", open("/proc/self/status").read())[1])

memory.share_heap()
held = []
def fill():
    kept = [bytes(1000) for _ in range(100_000)]
    held.append(kept[-1])  # at the end of the heap, where glibc would otherwise give back what is before it
thread = threading.Thread(target=fill); thread.start(); thread.join()
filled = resident()
memory.release()
print(filled - resident())
"""


def test_freed_memory_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)

    assert int(done.stdout) > 50_000  # kilobytes, of some 100,000
