"""Capture that runs by itself: every two to three minutes a scan, then deliveries, then what else is due.

Nothing here depends on the server being there: what cannot be delivered waits in the queue, and is tried again
between the cycles after pauses that grow. One daemon runs on a home at a time.
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
from capture.local.queue.files import QueueFullError
from capture.local.queue.processor import Processed, QueueProcessor
from capture.local.queue.sink import Sink
from capture.local.scanning.scanner import QUEUE_FOLDER, STATE_FOLDER, ScanReport, Unchanged, scan
from capture.local.service import heartbeat
from capture.local.service.heartbeat import AlreadyRunningError, Heartbeat, alone, running
from memoryserver.client import backoff
from memoryserver.common import clock
from memoryserver.common.files import LockTimeoutError

__all__ = ["AlreadyRunningError", "ContinuousCaptureDaemon", "Heartbeat", "running"]

_log = logging.getLogger(__name__)
INTERVAL = (120.0, 180.0)  # seconds from the end of a cycle to the next
ALERTS_FILE = ".alerts.json"
_FIRST_PAUSE = 5.0  # seconds until a failed delivery is tried again; twice as long each time
_LONGEST_PAUSE = 3600.0  # longer than any interval: the next cycle comes first
_LOCK_TIMEOUT = 10.0


class Stopping(Protocol):
    """Says when the work shall end, as capture.local.service.stopping.Stop does."""

    def requested(self) -> bool:
        """Whether it shall."""

    def wait(self, seconds: float) -> bool:
        """Rest for `seconds`, or until the work shall end; whether it shall."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something else that is done after the deliveries of a cycle; an error of its own holds up nothing."""

    name: str
    do: Callable[[Cycle], None]


@dataclass(slots=True)
class Cycle:
    """What one cycle did; `errors` are one line each."""

    scanned: ScanReport = field(default_factory=ScanReport)
    delivered: Processed = field(default_factory=Processed)
    errors: list[str] = field(default_factory=list)


class ContinuousCaptureDaemon:
    """Captures what is below `roots` (None: where the known agents keep theirs) into `home` and from there to a sink.

    `sink` is called before each pass over the queue, so that a login meanwhile counts. `alert` and `recovered`
    are told of lasting troubles, once each, `done` of every cycle. `monotonic` measures the pauses; `now` is the time
    of day, which may jump.
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
        done: Callable[[Cycle], None] = lambda _: None,
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
        self._done = done
        self._interval = interval
        self._monotonic = monotonic
        self._now = now
        self._failed_passes = 0
        self._unchanged: Unchanged = {}
        self._beat = Heartbeat(os.getpid(), clock.to_text(now().replace(microsecond=0)))

    def run(self, *, once: bool = False) -> Cycle:
        """Cycle after cycle until stopped, what is in hand then finished; with `once` a single one. The last of them.

        No error of a cycle ends it. Raises AlreadyRunningError, and OSError where the home cannot be written.
        """
        with alone(self._home):
            self._write_heartbeat()
            _log.info("capture runs by itself now, process %d", self._beat.pid)
            while True:
                done = self.cycle()
                self._done(done)
                if once or self._stop.requested() or self._rest(done.delivered):
                    break
            _log.info("capture by itself ends")
            return done

    def cycle(self) -> Cycle:
        """One cycle; whatever goes wrong in it is logged and in its `errors`."""
        began = self._monotonic()
        done = Cycle()
        alerts = Alerts(
            self._home / STATE_FOLDER / ALERTS_FILE, alert=self._alert, recovered=self._recovered, now=self._seconds
        )
        self._do("scan", lambda: self._scan(done, alerts), done, alerts)
        self._do("deliver", lambda: self._deliver(done), done, alerts)
        for step in self._after_cycle:
            if not self._stop.requested():
                self._do(step.name, lambda step=step: step.do(done), done, alerts)  # type: ignore[misc]
        self._beat.cycles += 1
        self._beat.last_cycle = clock.to_text(self._now().replace(microsecond=0))
        self._beat.last_error = done.errors[0] if done.errors else ""
        self._write_heartbeat()
        _log.info(
            "cycle %d: %d transcripts, %d with something new, %d learnings queued; %d queue files delivered, %d wait;"
            " %d errors; %.1f s",
            self._beat.cycles, done.scanned.transcripts, done.scanned.changed, done.scanned.learnings,
            done.delivered.delivered, done.delivered.waiting, len(done.errors), self._monotonic() - began,
        )  # fmt: skip
        return done

    def _do(self, name: str, do: Callable[[], None], done: Cycle, alerts: Alerts) -> None:
        try:
            do()
        except Exception as error:  # noqa: BLE001 - whatever one part comes upon, the others go on
            _log.warning("%s failed: %s", name, error, exc_info=not isinstance(error, OSError | LockTimeoutError))
            done.errors.append(f"{name}: {error or type(error).__name__}")
            alerts.report(f"step:{name}", f"capture: {done.errors[-1]}", lasting=PERSISTENT)
        else:
            alerts.clear(f"step:{name}")

    def _scan(self, done: Cycle, alerts: Alerts) -> None:
        try:
            done.scanned = scan(
                self._home,
                self._roots,
                lock_timeout=_LOCK_TIMEOUT,
                stop=self._stop.requested,
                report=done.scanned,
                unchanged=self._unchanged,
            )
        except QueueFullError as error:
            done.errors.append(str(error))
            alerts.report("queue-full", f"nothing is captured: {error}")
            return
        alerts.clear("queue-full")
        done.errors += done.scanned.problems
        problems = {f"transcript:{problem.partition(': ')[0]}": problem for problem in done.scanned.problems}
        for key, problem in problems.items():
            alerts.report(key, f"cannot be captured: {problem}", lasting=PERSISTENT)
        alerts.clear_others("transcript:", problems)

    def _deliver(self, done: Cycle) -> None:
        done.delivered = self._pass()

    def _pass(self) -> Processed:
        processor = QueueProcessor(
            self._home / QUEUE_FOLDER,
            self._sink(),
            alert=self._alert,
            recovered=self._recovered,
            now=self._seconds,
            stop=self._stop.requested,
        )
        done = processor.process(lock_timeout=_LOCK_TIMEOUT)
        if done.delivered:
            self._failed_passes = 0
        elif done.error:
            self._failed_passes += 1
        return done

    def _rest(self, done: Processed) -> bool:
        """Wait for the next cycle, trying meanwhile to deliver what waits; whether the work shall end.

        However long the machine slept, one cycle follows.
        """
        until = self._monotonic() + random.uniform(*self._interval)
        while 0 < (left := until - self._monotonic()) <= self._interval[1]:
            pause = left
            if done.waiting:
                pause = min(left, max(done.due_in or 0.0, _pause(self._failed_passes)))
            if self._stop.wait(pause):
                return True
            if pause < left:
                try:
                    done = self._pass()
                except Exception as error:  # noqa: BLE001 - the next cycle meets it again, and reports it
                    _log.warning("deliver failed: %s", error)
                    done = Processed()
        return self._stop.requested()

    def _seconds(self) -> float:
        return self._now().timestamp()

    def _write_heartbeat(self) -> None:
        try:
            heartbeat.write(self._home, self._beat)
        except OSError as error:  # a full disk; what is captured matters more
            _log.warning("the heartbeat cannot be written: %s", error)


def _pause(failed_passes: int) -> float:
    return backoff.pause(failed_passes, first=_FIRST_PAUSE, longest=_LONGEST_PAUSE)
