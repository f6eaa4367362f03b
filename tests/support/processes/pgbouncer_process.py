"""A PgBouncer of the test's own, as deploy/pgbouncer/pgbouncer.ini says, on a socket in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import psycopg

from tests.support.processes.deployment import DEPLOY
from tests.support.processes.server_process import free_port

LIMIT = 30.0
FILE = DEPLOY / "pgbouncer" / "pgbouncer.ini"


class PgbouncerProcess:
    """Start it, kill it, start it again. It is in front of the Postgres whose socket is in `host`, and trusts all."""

    def __init__(self, host: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pgbouncer-"))
        self.log = self.folder / "pgbouncer.log"
        self._port = free_port()
        (self.folder / "userlist.txt").write_text('"memoryserver" ""\n')
        (self.folder / "pgbouncer.ini").write_text(self._configuration(host))
        self.start()

    def _configuration(self, host: Path) -> str:
        text = FILE.read_text()
        for before, after in [
            ("memoryserver = host=127.0.0.1 port=5432 dbname=memoryserver", f"* = host={host} user=memoryserver"),
            ("listen_addr = 127.0.0.1", "listen_addr ="),
            ("listen_port = 6432", f"listen_port = {self._port}"),
            ("unix_socket_dir = /run/postgresql", f"unix_socket_dir = {self.folder}"),
            ("auth_type = scram-sha-256", "auth_type = trust"),
            ("/etc/pgbouncer/userlist.txt\nlogfile", f"{self.folder}/userlist.txt\nlogfile"),
            ("/var/log/postgresql/pgbouncer.log", str(self.log)),
            ("pidfile = /run/postgresql/pgbouncer.pid", "pidfile ="),
        ]:
            assert before in text, before
            text = text.replace(before, after)
        return text

    def address(self, database: str) -> str:
        """The DATABASE_URL of a database through PgBouncer."""
        return f"postgres://memoryserver@{quote(str(self.folder), safe='')}:{self._port}/{database}"

    def start(self) -> None:
        words = ["pgbouncer", "--quiet", str(self.folder / "pgbouncer.ini")]
        if os.getuid() == 0:  # it refuses to be root, whose folders no other account can enter
            words = ["unshare", "--user", "--map-user=1000", "--map-group=1000", *words]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                with psycopg.connect(self.address("postgres"), autocommit=True, prepare_threshold=None):
                    return
            except psycopg.OperationalError:
                assert self.process.poll() is None, self.log.read_text()
                assert time.monotonic() < deadline, self.log.read_text()
                time.sleep(0.05)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(LIMIT)

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
