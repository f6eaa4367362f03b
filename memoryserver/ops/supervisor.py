"""Supervision of the server's parts: each is restarted when it ends, and when it runs but makes no progress."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memoryserver.ops.processes import is_suspended, with_parent
from memoryserver.ops.watchdog import PIPE_VARIABLE

logger = logging.getLogger(__name__)

STOP_TIMEOUT = 30.0
PROGRESS_LIMIT = 30.0  # seconds without a sign of life until a part is restarted
PROBE_INTERVAL = 5.0
LONGEST_PAUSE = 30.0  # between two restarts of a part that keeps ending
STEADY_AFTER = 60.0  # seconds of life after which the pauses begin again at the shortest


@dataclass
class Part:
    """One part of the server: a process with its own process group, so that its own children can be killed too.

    It is alive as long as `probe` succeeds or, without one, as long as it writes to its pipe (`ops.watchdog`).
    """

    name: str
    command: Sequence[str]
    probe: Callable[[], bool] | None = None
    pass_fds: Sequence[int] = ()
    start_limit: float = 60.0  # seconds until the first sign of life
    serves_others: bool = False  # the other parts need it until they have ended
    process: subprocess.Popen[bytes] | None = None
    ready: bool = False
    _pipe: int | None = None
    _deadline: float = 0.0
    _next_probe: float = 0.0
    _started_at: float = 0.0
    _pause: float = 0.0
    _restart_at: float | None = field(default=None)

    def start(self) -> None:
        """Start the process, detached from the terminal's signals."""
        environment, pass_fds, end = dict(os.environ), list(self.pass_fds), None
        environment.pop("NOTIFY_SOCKET", None)  # systemd supervises this process, which speaks for its parts
        if self.probe is None:
            self._pipe, end = os.pipe()
            os.set_blocking(self._pipe, False)
            environment[PIPE_VARIABLE] = str(end)
            pass_fds.append(end)
        try:
            self.process = subprocess.Popen(
                with_parent(self.command),
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=pass_fds,
                env=environment,
            )
        finally:
            if end is not None:
                os.close(end)
        self.ready, self._restart_at, self._next_probe = False, None, 0.0
        self._started_at = time.monotonic()
        self._deadline = self._started_at + self.start_limit

    def fault(self) -> str | None:
        """Return a sentence about what is wrong with the part, or None."""
        assert self.process is not None
        status = self.process.poll()
        if status is not None:
            return f"the {self.name} {how_it_ended(status)}"
        now = time.monotonic()
        if self._shows_life(now):
            self.ready, self._deadline = True, now + PROGRESS_LIMIT
        if now > self._deadline:
            limit = PROGRESS_LIMIT if self.ready else self.start_limit
            return f"the {self.name} did not respond within {limit:.0f} s"
        return None

    def supervise(self) -> None:
        """Restart the part if something is wrong with it; after growing pauses if that happens soon after a start."""
        now = time.monotonic()
        if self._restart_at is not None:
            if now >= self._restart_at:
                self.start()
            return
        fault = self.fault()
        if fault is None:
            return
        assert self.process is not None
        replaces_itself = self.process.returncode == 0
        steady = replaces_itself or now - self._started_at > STEADY_AFTER
        self._pause = 0.0 if steady else min(max(self._pause * 2, 1.0), LONGEST_PAUSE)
        level = logging.INFO if replaces_itself else logging.ERROR
        logger.log(level, "part restarted", extra={"part": self.name, "reason": fault, "pause": self._pause})
        self.kill()
        self._restart_at = now + self._pause

    def kill(self) -> None:
        """Kill the process and its own children, and reap it."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None

    def _shows_life(self, now: float) -> bool:
        if self.probe is None:
            assert self._pipe is not None
            try:
                return bool(os.read(self._pipe, 65_536))
            except BlockingIOError:
                return False
        if self.ready and now < self._next_probe:
            return False
        self._next_probe = now + PROBE_INTERVAL
        assert self.process is not None
        return not is_suspended(self.process.pid) and self.probe()


class Supervisor:
    """The parts that start and stop together."""

    def __init__(self) -> None:
        self._parts: list[Part] = []

    def start(self, part: Part) -> None:
        """Start `part`; `stop` stops it."""
        part.start()
        self._parts.append(part)

    def faults(self) -> list[str]:
        """Return a sentence about each part with which something is wrong."""
        return [fault for part in self._parts if (fault := part.fault()) is not None]

    def all_ready(self) -> bool:
        """Return whether each part has shown a sign of life since its start; `faults` looks for them."""
        return all(part.ready for part in self._parts)

    def supervise(self) -> None:
        """Restart the parts that need it. Call it every second or so, from the thread that started the parts."""
        for part in self._parts:
            part.supervise()

    def stop(self) -> None:
        """Terminate the parts, wait, and kill what remains of their process groups; parts that serve others last."""
        for serves_others in (False, True):
            _stop([part for part in self._parts if part.serves_others is serves_others])


def _stop(parts: Sequence[Part]) -> None:
    for part in parts:
        if part.process is not None:
            with contextlib.suppress(ProcessLookupError):
                part.process.terminate()
                os.killpg(part.process.pid, signal.SIGCONT)  # a suspended process receives nothing else
    deadline = time.monotonic() + STOP_TIMEOUT
    for part in parts:
        if part.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                part.process.wait(max(deadline - time.monotonic(), 0))
        part.kill()


def how_it_ended(status: int) -> str:
    """Return the words for a process' exit status as `subprocess` gives it."""
    return f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
