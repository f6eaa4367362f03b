"""What the doctor finds, for its tests."""

from __future__ import annotations

import os
import time
from pathlib import Path

from capture.local.service import heartbeat
from memorycli.doctor import checks
from memoryserver.common import clock
from tests.support.laptop import Laptop


def beat(memory: Laptop, age: float = 0.0, error: str = "") -> None:
    moment = clock.to_text(clock.from_text(clock.to_text(clock.now())))
    if age:
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - age))
    heartbeat.write(memory.home, heartbeat.Heartbeat(os.getpid(), moment, moment, error, 1))


def wrong() -> dict[str, list[tuple[str, str]]]:
    """What is wrong, without the server: for each check, what it says and what mends it."""
    return {
        name: [(one.what, one.mend) for one in found] for name, found in checks.examine(offline=True).items() if found
    }


def only(check: str) -> tuple[str, str]:
    """The one thing that is wrong, found by `check` and nothing else."""
    found = wrong()
    assert list(found) == [check]
    [(what, mend)] = found[check]
    return what, mend


def settings_of(scope: str = "") -> Path:
    return Path.home() / ".claude" / "settings.json" if not scope else Path(".claude") / f"settings{scope}.json"
