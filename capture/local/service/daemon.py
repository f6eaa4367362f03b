"""The capture daemon: every two to three minutes a scan, then a delivery of the queue, then further steps.

A cycle begins earlier when a session ends, so that the next one knows what was learned. The daemon does not need the
server: what cannot be delivered waits in the queue, and is tried again between the cycles after growing pauses. A home
folder has one daemon at a time.
"""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from capture.local.queue.alerts import PERSISTENT, Alerts, Notify
from capture.local.queue.files import QUEUE_FOLDER, QueueFullError
from capture.local.queue.processor import Processed, QueueProcessor
from capture.local.queue.sink import Sink
from capture.local.scanning.scan_report import ScanReport
from capture.local.scanning.scanner import Unchanged, scan
from capture.local.scanning.state import STATE_FOLDER
from capture.local.service import heartbeat
from capture.local.service.heartbeat import AlreadyRunningError, Heartbeat, daemon_lock, running
from memoryserver.client import agent_processes, ended_sessions
from memoryserver.common import backoff, clock
from memoryserver.common.files import LockTimeoutError

__all__ = ["AlreadyRunningError", "ContinuousCaptureDaemon", "Heartbeat", "running"]

_log = logging.getLogger(__name__)
INTERVAL = (120.0, 180.0)  # seconds from the end of a cycle to the next
ALERTS_FILE = ".alerts.json"
_FIRST_PAUSE = 5.0  # seconds until a failed delivery is tried again; doubled each time
_LONGEST_PAUSE = 3600.0  # longer than any interval: the next cycle comes first
_LOCK_TIMEOUT = 10.0
_LOOK_EVERY = 10.0  # seconds, for ends of sessions; also what an agent needs to write its transcript to the end


class Stopping(Protocol):
    """Tells the daemon to stop, as capture.local.service.stopping.Stop does."""

    def requested(self) -> bool:
        """Return whether the daemon must stop."""

    def wait(self, seconds: float) -> bool:
        """Wait for `seconds` or until the daemon must stop; return whether it must."""


@dataclass(frozen=True, slots=True)
class Step:
    """A further step of a cycle, run after the delivery; its errors do not stop the other steps."""

    name: str
    run: Callable[[Cycle], None]


@dataclass(slots=True)
class Cycle:
    """The results of one cycle; each of `errors` is one line."""

    scanned: ScanReport = field(default_factory=ScanReport)
    delivered: Processed = field(default_factory=Processed)
    errors: list[str] = field(default_factory=list)


class ContinuousCaptureDaemon:
    """Captures the transcripts below `roots` into the queue in `home`, and delivers the queue to a sink.

    If `roots` is None, the folders of the known agents are read. `sink` is called before each pass over the queue, so
    that a login takes effect. `alert` and `recovered` are called once each for a lasting trouble, `on_cycle` after
    every cycle. `monotonic` measures the pauses; `now` is the time of day, which may jump.
    """

    def __init__(
        self,
        home: Path,
        sink: Callable[[], Sink],
        stop: Stopping,
        *,
        roots: Sequence[Path] | None = None,
        after_cycle: Sequence[Step] = (),
        alert: Notify | None = None,
        recovered: Notify | None = None,
        on_cycle: Callable[[Cycle], None] = lambda _: None,
        interval: tuple[float, float] = INTERVAL,
        monotonic: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = clock.now,
    ) -> None:
        self._home = home
        self._sink = sink
        self._stop = stop
        self._roots = roots
        self._after_cycle = after_cycle
        self._alert = alert
        self._recovered = recovered
        self._on_cycle = on_cycle
        self._interval = interval
        self._monotonic = monotonic
        self._now = now
        self._failed_passes = 0
        self._unchanged: Unchanged = {}
        self._ends_seen = 0
        self._beat = Heartbeat(os.getpid(), clock.to_text(now().replace(microsecond=0)))

    def run(self, *, once: bool = False) -> Cycle:
        """Run cycles until stopped, with `once` a single one, and return the last; a stop finishes the current work.

        An error in a cycle does not end the loop. Raises AlreadyRunningError, and OSError if the home is not writable.
        """
        with daemon_lock(self._home):
            self._write_heartbeat()
            _log.info("daemon started, process %d", self._beat.pid)
            while True:
                cycle = self.cycle()
                self._on_cycle(cycle)
                if once or self._stop.requested() or self._wait_for_next_cycle(cycle.delivered):
                    break
            _log.info("daemon stopped")
            return cycle

    def cycle(self) -> Cycle:
        """Run one cycle; its errors are logged and returned."""
        started = self._monotonic()
        cycle = Cycle()
        alerts = Alerts(
            self._home / STATE_FOLDER / ALERTS_FILE, alert=self._alert, recovered=self._recovered, now=self._seconds
        )
        self._run_step("ends", agent_processes.record_ends, cycle, alerts)
        self._ends_seen = ended_sessions.last_change()
        self._run_step("scan", lambda: self._scan(cycle, alerts), cycle, alerts)
        self._run_step("deliver", lambda: self._deliver(cycle), cycle, alerts)
        for step in self._after_cycle:
            if not self._stop.requested():
                self._run_step(step.name, lambda step=step: step.run(cycle), cycle, alerts)  # type: ignore[misc]
        self._beat.cycles += 1
        self._beat.last_cycle = clock.to_text(self._now().replace(microsecond=0))
        self._beat.last_error = cycle.errors[0] if cycle.errors else ""
        self._write_heartbeat()
        _log.info(
            "cycle %d: %d transcripts, %d with something new, %d learnings queued; %d queue files delivered, %d wait;"
            " %d errors; %.1f s",
            self._beat.cycles, cycle.scanned.transcripts, cycle.scanned.changed, cycle.scanned.learnings,
            cycle.delivered.delivered, cycle.delivered.waiting, len(cycle.errors), self._monotonic() - started,
        )  # fmt: skip
        return cycle

    def _run_step(self, name: str, run: Callable[[], object], cycle: Cycle, alerts: Alerts) -> None:
        try:
            run()
        except Exception as error:  # noqa: BLE001 - an error in one step must not stop the others
            _log.warning("%s failed: %s", name, error, exc_info=not isinstance(error, OSError | LockTimeoutError))
            cycle.errors.append(f"{name}: {error or type(error).__name__}")
            alerts.report(f"step:{name}", f"capture: {cycle.errors[-1]}", lasting=PERSISTENT)
        else:
            alerts.clear(f"step:{name}")

    def _scan(self, cycle: Cycle, alerts: Alerts) -> None:
        try:
            cycle.scanned = scan(
                self._home,
                self._roots,
                lock_timeout=_LOCK_TIMEOUT,
                stop=self._stop.requested,
                report=cycle.scanned,
                unchanged=self._unchanged,
                second_process=False,
            )
        except QueueFullError as error:
            cycle.errors.append(str(error))
            alerts.report("queue-full", f"nothing is captured: {error}")
            return
        alerts.clear("queue-full")
        cycle.errors += cycle.scanned.problems
        problems = {f"transcript:{problem.partition(': ')[0]}": problem for problem in cycle.scanned.problems}
        for key, problem in problems.items():
            alerts.report(key, f"cannot be captured: {problem}", lasting=PERSISTENT)
        alerts.clear_others("transcript:", problems)

    def _deliver(self, cycle: Cycle) -> None:
        cycle.delivered = self._process_queue()

    def _process_queue(self) -> Processed:
        processor = QueueProcessor(
            self._home / QUEUE_FOLDER,
            self._sink(),
            alert=self._alert,
            recovered=self._recovered,
            now=self._seconds,
            stop=self._stop.requested,
        )
        result = processor.process(lock_timeout=_LOCK_TIMEOUT)
        if result.delivered:
            self._failed_passes = 0
        elif result.error:
            self._failed_passes += 1
        return result

    def _wait_for_next_cycle(self, result: Processed) -> bool:
        """Wait for the next cycle, delivering what still waits after `result`; return whether the daemon must stop.

        The next cycle is due after the interval, or when a session has ended. After the machine was asleep one cycle
        follows, however long that was.
        """
        until = self._monotonic() + random.uniform(*self._interval)
        while 0 < (left := until - self._monotonic()) <= self._interval[1]:
            pause = left
            if result.waiting:
                pause = min(left, max(result.due_in or 0.0, _pause(self._failed_passes)))
            if self._stop_or_end_within(pause):
                return self._stop.requested()
            if pause < left:
                try:
                    result = self._process_queue()
                except Exception as error:  # noqa: BLE001 - the next cycle reports it if it occurs again
                    _log.warning("deliver failed: %s", error)
                    result = Processed()
        return self._stop.requested()

    def _stop_or_end_within(self, seconds: float) -> bool:
        """Wait for `seconds`, until the daemon must stop, or until a session has ended; return whether it is over."""
        until = self._monotonic() + seconds
        while (left := until - self._monotonic()) > 0:
            if self._stop.wait(min(left, _LOOK_EVERY)) or ended_sessions.last_change() != self._ends_seen:
                return True
        return False

    def _seconds(self) -> float:
        return self._now().timestamp()

    def _write_heartbeat(self) -> None:
        try:
            heartbeat.write(self._home, self._beat)
        except OSError as error:  # such as a full disk, on which capture must continue
            _log.warning("the heartbeat cannot be written: %s", error)


def _pause(failed_passes: int) -> float:
    return backoff.pause(failed_passes, first=_FIRST_PAUSE, longest=_LONGEST_PAUSE)
