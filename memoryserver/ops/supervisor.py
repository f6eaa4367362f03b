"""Supervision of child processes that start and stop together."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

from memoryserver.ops.processes import die_with_parent

STOP_TIMEOUT = 30.0


@dataclass
class Child:
    """A started process with its own process group, so that its own children can be killed too."""

    name: str
    process: subprocess.Popen[bytes]


class Supervisor:
    """Starts children, detects when one ends, and stops them together with their own children."""

    def __init__(self) -> None:
        self._children: list[Child] = []

    def start(self, name: str, command: Sequence[str], *, environment: dict[str, str] | None = None) -> None:
        """Start `command` under `name`, detached from the terminal's signals; `stop` stops it."""
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_prepare,  # noqa: PLW1509  (no threads run here)
            env={**os.environ, **(environment or {})},
        )
        self._children.append(Child(name, process))

    def adopt(self, name: str, process: subprocess.Popen[bytes]) -> None:
        """Watch `process`, which the caller starts and stops."""
        self._children.append(Child(name, process))

    def ended(self) -> str | None:
        """Return a sentence about a child that has ended, or None while all run."""
        for child in self._children:
            status = child.process.poll()
            if status is not None:
                how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
                return f"the {child.name} {how}"
        return None

    def stop(self, names: Sequence[str]) -> None:
        """Terminate the children with these names, wait, and kill what remains of their process groups."""
        children = [child for child in self._children if child.name in names]
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                child.process.terminate()
        deadline = time.monotonic() + STOP_TIMEOUT
        for child in children:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.process.wait(max(deadline - time.monotonic(), 0))
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.process.pid, signal.SIGKILL)
            child.process.wait()


def _prepare() -> None:
    die_with_parent(signal.SIGTERM)
