"""`manage.py up`: the whole server on one machine, in the foreground. `make run` calls it."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from memoryserver import database
from memoryserver.common.files import LockTimeoutError, lock
from memoryserver.embedding import choice, memory
from memoryserver.embedding.shared.address import VARIABLE, default_socket
from memoryserver.environment import env, listening_port, manage_command
from memoryserver.ops.backups.database import LOCK_NAME
from memoryserver.ops.bootstrap import Credentials, prepare
from memoryserver.ops.brokers.common import EMBEDDING_QUEUE
from memoryserver.ops.doctor import variables
from memoryserver.ops.management.preparation import PreparationLine
from memoryserver.ops.postgres import EmbeddedPostgres, PostgresError
from memoryserver.ops.preflight import PreflightError, listen
from memoryserver.ops.supervisor import PROBE_INTERVAL, PROGRESS_LIMIT, Part, Supervisor, how_it_ended
from memoryserver.ops.watch import run_until
from memoryserver.ops.watchdog import notify_systemd
from memoryserver.ops.webserver import responds

CYCLE = 0.5  # seconds between two looks at the parts
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Stopped(BaseException):
    """Raised on SIGTERM, SIGHUP or Ctrl-C to stop everything."""


class StopRequest:
    """Handles the signals that stop the server: raises Stopped at once, so that a long step such as a migration ends.

    Python drops an exception that a handler raises within a finalizer, `__del__` or the callback of a weak reference,
    so the request is kept as well and the loops of the server look for it.
    """

    def __init__(self) -> None:
        self._received = False
        for number in SIGNALS:
            # nohup ignores SIGHUP; another signal that a parent happens to ignore must still stop the server.
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._receive)

    def check(self) -> None:
        """Raise Stopped if a signal has been received."""
        if self._received:
            raise Stopped

    def _receive(self, number: int, frame: object) -> None:
        self._received = True
        raise Stopped


class Command(BaseCommand):
    """Start Postgres (unless DATABASE_URL names one), prepare the database, serve, and stop everything on a signal."""

    help = "Run the whole server in the foreground until Ctrl-C or SIGTERM."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --host and --port."""
        parser.add_argument("--host", default=env.str("MEMORYSERVER_HOST", default="127.0.0.1"))
        parser.add_argument("--port", type=int, default=listening_port())

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        """Run until a signal. Raises CommandError if a part cannot be started or Postgres ends."""
        os.environ["MEMORYSERVER_DATA"] = str(settings.DATA_DIR)  # absolute, for the parts
        self._stop = StopRequest()
        try:
            for sentence in variables.unknown():
                self._say(sentence)
            with ExitStack() as stack:
                self._lock_data_dir(stack)  # first: a server that runs already has the port, too
                listener = stack.enter_context(listen(host, port))
                # For the parts too, whose links lead here.
                os.environ |= {"MEMORYSERVER_HOST": host, "MEMORYSERVER_PORT": str(listener.getsockname()[1])}
                self._run(listener)
        except Stopped:
            self.stdout.write("Stopped.")
        except (PreflightError, PostgresError) as error:
            raise CommandError(str(error)) from error

    def _lock_data_dir(self, stack: ExitStack) -> None:
        try:
            stack.enter_context(lock(settings.DATA_DIR / LOCK_NAME, timeout=0))
        except LockTimeoutError as error:
            raise CommandError(f"another server is using {settings.DATA_DIR}: {error}") from error
        except OSError as error:
            raise CommandError(f"{settings.DATA_DIR} cannot be used: {error}") from error

    def _run(self, listener: socket.socket) -> None:
        supervisor = Supervisor()
        postgres = None if database.uses_external_server() else EmbeddedPostgres(settings.DATA_DIR)
        try:
            _start_embedding(supervisor)  # it loads the model meanwhile
            if postgres is not None:
                self._say("Starting Postgres …")
                postgres.start()
            self._prepare()
            self._stop.check()
            self._start_parts(supervisor, listener)
            self._print_address(listener)
            notify_systemd("READY=1")
            threading.Thread(target=run_until, args=[threading.Event()], daemon=True).start()
            self._supervise(supervisor, postgres)
        finally:
            # A second Ctrl-C must not leave some of the processes running.
            for number in SIGNALS:
                signal.signal(number, signal.SIG_IGN)
            supervisor.stop()
            if _has_own_embedding():
                default_socket(settings.DATA_DIR).unlink(missing_ok=True)  # of a process that was killed
            if postgres is not None:
                postgres.stop()

    def _prepare(self) -> None:
        line = PreparationLine(self.stdout)

        def show(credentials: Credentials) -> None:
            line.end()
            self._say(credentials.text())

        line.begin()
        try:
            prepare(show, line.update)
        finally:
            line.end()
        connection.close()
        memory.release()  # a migration needs more than the hours of waiting that follow

    def _start_parts(self, supervisor: Supervisor, listener: socket.socket) -> None:
        """Start the parts, and wait until each has shown a sign of life."""
        descriptor = listener.fileno()
        web = Part(
            "web server", manage_command("gunicorn", "--fd", str(descriptor)), lambda: responds(listener), [descriptor]
        )
        supervisor.start(web)
        for number in range(1, settings.JOB_WORKERS + 1):
            supervisor.start(Part("job worker" if number == 1 else f"job worker {number}", manage_command("qcluster")))
        if settings.EMBEDDING_QUEUE:
            supervisor.start(Part("embedding job worker", manage_command("qcluster", "--queue", EMBEDDING_QUEUE)))
        while not supervisor.all_ready():
            self._stop.check()
            faults = supervisor.faults()
            if faults:
                raise CommandError(f"{' and '.join(faults)} while starting; the lines above say why, if anything does")
            time.sleep(0.1)

    def _print_address(self, listener: socket.socket) -> None:
        host, port = listener.getsockname()[:2]
        address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self._say(f"memoryserver is up: {address}  (admin: {address}/admin/, API: {address}/api/v1/docs)")
        self._say("Ctrl-C stops it.")

    def _supervise(self, supervisor: Supervisor, postgres: EmbeddedPostgres | None) -> None:
        responded_at = next_probe = time.monotonic()
        while True:
            self._stop.check()
            supervisor.supervise()
            notify_systemd("WATCHDOG=1")
            if postgres is not None:
                now = time.monotonic()
                if now >= next_probe:
                    responded_at = now if postgres.responds() else responded_at
                    next_probe = time.monotonic() + PROBE_INTERVAL
                _check_postgres(postgres, silent=now - responded_at)
            time.sleep(CYCLE)

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _has_own_embedding() -> bool:
    return choice.can_be_shared() and not settings.EMBEDDING_SOCKET


def _start_embedding(supervisor: Supervisor) -> None:
    """Start the process that embeds for the other parts, unless another one is named or the server runs no model."""
    if _has_own_embedding():
        os.environ[VARIABLE] = str(default_socket(settings.DATA_DIR))
        supervisor.start(Part("embedding process", manage_command("embedding"), serves_others=True))


def _check_postgres(postgres: EmbeddedPostgres, *, silent: float) -> None:
    """Raise CommandError if Postgres has ended or did not respond for too long: no part works without it."""
    assert postgres.process is not None
    status = postgres.process.poll()
    if status is None and silent <= PROGRESS_LIMIT:
        return
    fault = how_it_ended(status) if status is not None else f"did not respond for {silent:.0f} s"
    raise CommandError(f"the embedded Postgres {fault}; everything was stopped. Start it again: manage.py up")
