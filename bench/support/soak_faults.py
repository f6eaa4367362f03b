"""What goes wrong in the soak: processes die, the database restarts, its disk is full, clocks step."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.processes.installation import Installation

SOURCE = Path(__file__).with_name("wrong_clock.c")
CLOCK_STEPS = ("3600", "-3600", "86400", "0")
FULL_SECONDS = 5.0


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[None]:
    """Mount a file system of so many megabytes on `folder`; needs root."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


class WrongClock:
    """A time of day that is as wrong as it is told to be, for the commands that begin with `words`."""

    def __init__(self, folder: Path) -> None:
        self._file, library = folder / "clock", folder / "clock.so"
        self.set("0")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE], check=True)
        self.words = ["/usr/bin/env", f"LD_PRELOAD={library}", f"WRONG_CLOCK={self._file}"]

    def set(self, seconds: str) -> None:
        """Step to so many seconds from the right time."""
        self._file.write_text(f"{seconds}\n")


class Faults:
    """Causes one fault after the other, in an order by chance in which each kind comes once a round."""

    def __init__(self, installation: Installation, clock: WrongClock, *, disk: bool, seed: int) -> None:
        self._installation, self._clock = installation, clock
        self._random = random.Random(seed)
        self._kinds: list[Callable[[], str]] = [self._kill, self._kill, self._kill_database, self._restart_database]
        self._kinds += [self._kill_redis] if installation.redis else []
        self._kinds += [self._fill_disk] if disk else []
        self._kinds += [self._step_clock]
        self._round: list[Callable[[], str]] = []

    def next(self) -> str:
        """Cause the next fault and return what it is."""
        if not self._round:
            self._round = self._random.sample(self._kinds, len(self._kinds))
        return self._round.pop()()

    @property
    def kinds(self) -> int:
        """How many faults a round has."""
        return len(self._kinds)

    def _kill(self) -> str:
        name = self._random.choice(sorted(self._installation.parts))
        self._installation.parts[name].kill()
        return f"kill -9 of {name}"

    def _kill_database(self) -> str:
        self._installation.kill_database()
        return "kill -9 of Postgres"

    def _restart_database(self) -> str:
        self._installation.postgres.stop()
        self._installation.postgres.start()
        return "restart of Postgres"

    def _kill_redis(self) -> str:
        assert self._installation.redis is not None
        self._installation.redis.stop(signal.SIGKILL)
        return "kill -9 of Redis"

    def _fill_disk(self) -> str:
        ballast = self._installation.folder / "primary" / "ballast"
        descriptor = os.open(ballast, os.O_WRONLY | os.O_CREAT)
        try:
            with contextlib.suppress(OSError):  # no space left
                while os.write(descriptor, bytes(65_536)):
                    pass
            self._installation.run_for(FULL_SECONDS)
        finally:
            os.close(descriptor)
            ballast.unlink()
        return "full disk of Postgres"

    def _step_clock(self) -> str:
        step = self._random.choice(CLOCK_STEPS)
        self._clock.set(step)
        return f"clock of web 1 and worker 1 wrong by {step} s"
