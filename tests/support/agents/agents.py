"""Processes of agents, which start hooks as real ones do."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator

_AGENT = """
import subprocess, sys
record = "import sys; from memoryserver.client import agent_processes; agent_processes.record(sys.argv[1])"
for _ in range(int(sys.argv[2])):
    subprocess.run(["sh", "-c", '"$0" -c "$1" "$2"; true', sys.executable, record, sys.argv[1]], check=True)
print("started", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def another_agent(session_id: str, *, hooks: int = 1) -> Iterator[int]:
    """Run an agent whose hooks, behind a shell, have recorded its process with the session; yields its process id."""
    with subprocess.Popen(
        [sys.executable, "-c", _AGENT, session_id, str(hooks)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as agent:
        assert agent.stdin
        assert agent.stdout
        assert agent.stdout.readline() == "started\n"
        yield agent.pid
        agent.stdin.close()
        assert agent.wait(timeout=30) == 0
