"""A daemon in simulated time: an hour takes a moment, and the clock can be set."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from capture.local.service.daemon import ContinuousCaptureDaemon, Cycle
from tests.capture.local.queue.test_processor import MemorySink
from tests.support.laptops.capture_laptop import Laptop

BEGIN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


class Time:
    """Time that passes only in `wait`, and stops the daemon after `seconds`; `meanwhile` is called after each wait."""

    def __init__(self, seconds: float) -> None:
        self.passed = 0.0
        self.offset = 0.0  # of the time of day, in seconds
        self.until = seconds
        self.waits: list[float] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def monotonic(self) -> float:
        return self.passed

    def now(self) -> datetime:
        return BEGIN + timedelta(seconds=self.passed + self.offset)

    def requested(self) -> bool:
        return self.passed >= self.until

    def wait(self, seconds: float) -> bool:
        assert 0 < seconds <= 180
        self.waits.append(seconds)
        self.passed += seconds
        self.meanwhile()
        return self.requested()


class World:
    """A laptop with a daemon, its sink and its time, and records of its alerts and cycles."""

    def __init__(self, laptop: Laptop, seconds: float) -> None:
        self.laptop = laptop
        self.time = Time(seconds)
        self.sink = MemorySink()
        self.alerts: list[str] = []
        self.recovered: list[str] = []
        self.cycles: list[Cycle] = []
        self.started: list[float] = []

    def run(self, **options: Any) -> list[Cycle]:
        """Run the daemon until its time is over; return the cycles."""
        before = len(self.cycles)
        self.daemon(**options).run()
        return self.cycles[before:]

    def run_for(self, seconds: float) -> list[Cycle]:
        """Run the daemon again for `seconds`; return the cycles."""
        self.time.until = self.time.passed + seconds
        return self.run()

    def daemon(self, **options: Any) -> ContinuousCaptureDaemon:
        defaults: dict[str, Any] = {
            "roots": [self.laptop.root],
            "alert": self.alerts.append,
            "recovered": self.recovered.append,
            "on_cycle": self._record,
            "monotonic": self.time.monotonic,
            "now": self.time.now,
        }
        return ContinuousCaptureDaemon(self.laptop.home, lambda: self.sink, self.time, **{**defaults, **options})

    def stored(self) -> list[str]:
        """Return the contents of the learnings that the sink has stored."""
        return [learning["content"] for content in self.sink.stored.values() for learning in content["learnings"]]

    def _record(self, cycle: Cycle) -> None:
        self.cycles.append(cycle)
        self.started.append(self.time.passed)
