"""`manage.py up`: the whole server on one machine, in the foreground. `make run` calls it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from memoryserver import database
from memoryserver.common.files import LockTimeoutError, lock
from memoryserver.environment import env
from memoryserver.ops.bootstrap import Credentials, first_admin
from memoryserver.ops.postgres import EmbeddedPostgres, PostgresError
from memoryserver.ops.preflight import PreflightError, check_database, check_port
from memoryserver.ops.schedules import ensure_schedules
from memoryserver.ops.supervisor import Supervisor
from memoryserver.ops.watch import run_until

WEB, JOBS, POSTGRES = "web server", "job cluster", "embedded Postgres"
START_TIMEOUT = 60.0


class Stopped(BaseException):
    """Raised on SIGTERM or Ctrl-C to stop everything."""


class Command(BaseCommand):
    """Start Postgres (unless DATABASE_URL names one), prepare the database, serve, and stop everything on a signal."""

    help = "Run the whole server in the foreground until Ctrl-C or SIGTERM."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --host and --port."""
        parser.add_argument("--host", default=env.str("MEMORYSERVER_HOST", default="127.0.0.1"))
        parser.add_argument("--port", type=int, default=env.int("MEMORYSERVER_PORT", default=8000))

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        """Run until a signal. Raises CommandError if something is not available or a part ends unexpectedly."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _stop)
        try:
            check_port(host, port)
            with lock(settings.DATA_DIR / "up.lock", timeout=0):
                self._run(host, port)
        except Stopped:
            self.stdout.write("Stopped.")
        except LockTimeoutError as error:
            raise CommandError(f"another server is using {settings.DATA_DIR}: {error}") from error
        except (PreflightError, PostgresError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{settings.DATA_DIR} cannot be used: {error}") from error

    def _run(self, host: str, port: int) -> None:
        supervisor = Supervisor()
        postgres = None if database.uses_external_server() else EmbeddedPostgres(settings.DATA_DIR)
        try:
            if postgres is not None:
                self.stdout.write("Starting Postgres …")
                postgres.start()
                assert postgres.process is not None
                supervisor.adopt(POSTGRES, postgres.process)
            credentials = self._prepare()
            self._start_servers(supervisor, host, port)
            self._print_address(f"http://{host}:{port}", credentials)
            threading.Thread(target=run_until, args=[threading.Event()], daemon=True).start()
            self._watch(supervisor)
        finally:
            # A second Ctrl-C must not leave some of the processes running.
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            supervisor.stop([WEB, JOBS])
            if postgres is not None:
                postgres.stop()

    def _prepare(self) -> Credentials | None:
        check_database()
        self.stdout.write("Preparing the database …")
        call_command("migrate", interactive=False, verbosity=0)
        ensure_schedules()
        credentials = first_admin()
        connection.close()
        return credentials

    def _start_servers(self, supervisor: Supervisor, host: str, port: int) -> None:
        supervisor.start(WEB, [sys.executable, "-m", "gunicorn", *_gunicorn_arguments(host, port), "memoryserver.wsgi"])
        supervisor.start(JOBS, [sys.executable, "manage.py", "qcluster"])
        deadline = time.monotonic() + START_TIMEOUT
        while not _responds(host, port):
            ended = supervisor.ended()
            if ended is not None or time.monotonic() > deadline:
                raise CommandError(ended or f"the web server did not respond within {START_TIMEOUT:.0f} s")
            time.sleep(0.1)

    def _print_address(self, address: str, credentials: Credentials | None) -> None:
        if credentials is not None:
            self.stdout.write(
                "\nYour first administrator. Both secrets are shown only once and not stored:\n"
                f"    user      {credentials.user}\n"
                f"    password  {credentials.password}\n"
                f"    API token {credentials.token}\n"
            )
        self.stdout.write(f"memoryserver is up: {address}  (admin: {address}/admin/, API: {address}/api/v1/docs)")
        self.stdout.write("Ctrl-C stops it.")
        self.stdout.flush()

    def _watch(self, supervisor: Supervisor) -> None:
        while True:
            ended = supervisor.ended()
            if ended is not None:
                raise CommandError(f"{ended}; everything was stopped. Start again with: make run")
            time.sleep(0.5)


def _gunicorn_arguments(host: str, port: int) -> list[str]:
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    threads = os.environ.get("MEMORYSERVER_WEB_THREADS", "8")
    workers = os.environ.get("MEMORYSERVER_WEB_WORKERS", "1")
    # A query of 2,000 non-ASCII characters is a request line of 24,000, three times gunicorn's highest limit.
    return [
        *("--limit-request-line", "0"),
        *("--bind", bind, "--worker-class", "gthread", "--workers", workers, "--threads", threads),
        *("--timeout", "120", "--graceful-timeout", "20", "--log-level", "warning", "--no-control-socket"),
    ]


def _responds(host: str, port: int) -> bool:
    address = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    try:
        with urllib.request.urlopen(f"http://{address}:{port}/healthz", timeout=2):
            return True
    except urllib.error.HTTPError:
        return True  # it responds, even if the host is not in ALLOWED_HOSTS
    except OSError:
        return False


def _stop(number: int, frame: object) -> None:
    raise Stopped
