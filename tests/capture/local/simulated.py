"""A daemon in simulated time: an hour passes in a moment, and the clock can be turned."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from capture.local.service.daemon import ContinuousCaptureDaemon, Cycle
from tests.capture.local.queue.test_processor import MemorySink
from tests.support.capture_laptop import Laptop

BEGIN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


class Time:
    """Passes when somebody waits. It ends the work after `seconds`; `meanwhile` is called at each wait's end."""

    def __init__(self, seconds: float) -> None:
        self.passed = 0.0
        self.turned = 0.0  # by so many seconds the time of day is off
        self.until = seconds
        self.waits: list[float] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def monotonic(self) -> float:
        return self.passed

    def now(self) -> datetime:
        return BEGIN + timedelta(seconds=self.passed + self.turned)

    def requested(self) -> bool:
        return self.passed >= self.until

    def wait(self, seconds: float) -> bool:
        assert 0 < seconds <= 180
        self.waits.append(seconds)
        self.passed += seconds
        self.meanwhile()
        return self.requested()


class World:
    """A laptop with a daemon, its sink, its time, and all that is said and done."""

    def __init__(self, laptop: Laptop, seconds: float) -> None:
        self.laptop = laptop
        self.time = Time(seconds)
        self.sink = MemorySink()
        self.alerts: list[str] = []
        self.over: list[str] = []
        self.cycles: list[Cycle] = []
        self.began: list[float] = []

    def run(self, **options: Any) -> list[Cycle]:
        """Run the daemon until the time is over; the cycles it made."""
        before = len(self.cycles)
        self.daemon(**options).run()
        return self.cycles[before:]

    def go_on(self, seconds: float) -> list[Cycle]:
        """Run it again, for so long from now."""
        self.time.until = self.time.passed + seconds
        return self.run()

    def daemon(self, **options: Any) -> ContinuousCaptureDaemon:
        given: dict[str, Any] = {
            "roots": [self.laptop.root],
            "alert": self.alerts.append,
            "recovered": self.over.append,
            "done": self._done,
            "monotonic": self.time.monotonic,
            "now": self.time.now,
        }
        return ContinuousCaptureDaemon(self.laptop.home, lambda: self.sink, self.time, **{**given, **options})

    def stored(self) -> list[str]:
        """The learnings that have arrived."""
        return [learning["content"] for content in self.sink.stored.values() for learning in content["learnings"]]

    def _done(self, cycle: Cycle) -> None:
        self.cycles.append(cycle)
        self.began.append(self.time.passed)
