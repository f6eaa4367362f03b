"""A job that runs until a test lets it end."""

from __future__ import annotations

import os
import time
from pathlib import Path

LONGEST_SECONDS = 60.0


def hold(folder: str) -> None:
    """Write the file `started` into `folder` and wait for the file `ended` there, at most LONGEST_SECONDS.

    A worker that is killed meanwhile leaves the job to another, which then ends it at once.
    """
    (Path(folder) / "started").touch()
    deadline = time.monotonic() + LONGEST_SECONDS
    while not (Path(folder) / "ended").exists() and time.monotonic() < deadline:
        time.sleep(0.1)


def record_and_hold(folder: str) -> None:
    """Append the process id to the file `runs` in `folder`, then do as `hold` does."""
    with (Path(folder) / "runs").open("a") as runs:
        runs.write(f"{os.getpid()}\n")
    hold(folder)
