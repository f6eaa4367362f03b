"""A Redis of the test's own, on a socket in a folder of its own."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from redis import Redis, RedisError

LIMIT = 30.0


class RedisProcess:
    """Start it, kill it, start it again: what it acknowledged within the last second may be gone, as in production."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="redis-"))
        self.url = f"unix://{self.folder}/redis.sock"
        self.start()

    def start(self) -> None:
        words = ["redis-server", "--port", "0", "--unixsocket", f"{self.folder}/redis.sock", "--dir", str(self.folder)]
        self.process = subprocess.Popen([*words, "--appendonly", "yes"], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                self.client().ping()
                return
            except RedisError:
                assert time.monotonic() < deadline
                time.sleep(0.02)

    def client(self) -> Redis:
        return Redis.from_url(self.url, decode_responses=True)

    def stop(self, number: int = signal.SIGKILL) -> None:
        self.process.send_signal(number)
        self.process.wait(LIMIT)

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
