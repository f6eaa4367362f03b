"""What the files in `deploy/` are compared with, and processes started as these files say."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Self
from urllib.parse import quote

import psycopg
from psycopg import sql

from memoryserver.database import embedded_socket_dir
from tests.support.processes.server_process import ROOT

DEPLOY = ROOT / "deploy"
LIMIT = 60.0  # seconds for a process to start, on a busy machine
_VARIABLE = re.compile(r'"(MEMORYSERVER_[A-Z_]+|DATABASE_URL)"')


def known_variables() -> set[str]:
    """The environment variables that the server's code reads."""
    code = "".join(path.read_text() for path in (ROOT / "memoryserver").rglob("*.py"))
    return set(_VARIABLE.findall(code))


def max_request_bytes() -> int:
    """The default of MEMORYSERVER_MAX_REQUEST_BYTES, as docs/settings.md gives it."""
    match = re.search(r"`MEMORYSERVER_MAX_REQUEST_BYTES` \| (\d+) \|", (ROOT / "docs" / "settings.md").read_text())
    assert match is not None
    return int(match[1])


def lines_of(path: Path) -> dict[str, str]:
    """The variables of a file of `NAME=value` lines, those in comments too."""
    return dict(re.findall(r"^#?([A-Z_]+)=(.*)$", path.read_text(), re.MULTILINE))


@contextmanager
def empty_database() -> Iterator[str]:
    """Yield the DATABASE_URL of a new database in the tests' Postgres; it is dropped at the end."""
    name = f"deploy_{uuid.uuid4().hex[:12]}"
    folder = embedded_socket_dir(Path(os.environ["MEMORYSERVER_DATA"]))
    with psycopg.connect(host=str(folder), user="memoryserver", dbname="postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"postgres://memoryserver@{quote(str(folder), safe='')}/{name}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def manage(*words: str) -> list[str]:
    """The command line of a management command."""
    return [sys.executable, str(ROOT / "manage.py"), *words]


class Service:
    """A process as a service manager runs it, which receives its notifications by systemd's protocol."""

    def __init__(self, command: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
        self.command, self._environment = list(command), environment
        # The path of a socket may have no more than 107 bytes.
        self._address = Path(f"/tmp/notify-{uuid.uuid4().hex[:12]}")
        self.log = folder / f"{uuid.uuid4().hex[:8]}.log"
        self._received = ""

    def __enter__(self) -> Self:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self._address))
        self._socket.settimeout(0.2)
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._socket.close()
        self._address.unlink()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                env={**self._environment, "NOTIFY_SOCKET": str(self._address)},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_until_notified(self, text: str) -> None:
        """Wait until the process has sent `text`, such as READY=1."""
        deadline = time.monotonic() + LIMIT
        while text not in self._received:
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            try:
                self._received += self._socket.recv(1000).decode() + "\n"
            except TimeoutError:
                continue

    def stop(self) -> int:
        """Have it end as a service manager does, and return its status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LIMIT)


def wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until something on this machine accepts connections at `port`."""
    deadline = time.monotonic() + LIMIT
    while True:
        try:
            with closing(socket.create_connection(("127.0.0.1", port), timeout=1)):
                return
        except OSError:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate for `name` that signs itself, and its key."""
    chain, key = folder / "fullchain.pem", folder / "privkey.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
    subprocess.run(
        [*words, "-addext", f"subjectAltName=DNS:{name}", "-out", chain, "-keyout", key],
        check=True,
        capture_output=True,
    )
    return chain, key
