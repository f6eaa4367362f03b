"""`manage.py gunicorn`: the web server alone. `manage.py up` starts it too, on a socket that it holds open."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryserver.environment import env, listening_port
from memoryserver.ops.preflight import PreflightError, listen
from memoryserver.ops.webserver import WebServer


class Command(BaseCommand):
    """Serve requests until SIGTERM; the database must be prepared and jobs need `manage.py qcluster`."""

    help = "Serve requests. Prepare the database first (manage.py prepare)."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --host, --port and --fd."""
        parser.add_argument("--host", default=env.str("MEMORYSERVER_HOST", default="127.0.0.1"))
        parser.add_argument("--port", type=int, default=listening_port())
        parser.add_argument("--fd", type=int, help="the descriptor of a listening socket, instead of host and port")

    def handle(self, *args: Any, host: str, port: int, fd: int | None, **options: Any) -> None:
        """Serve until SIGTERM. Raises CommandError if the address cannot be listened on."""
        if fd is None:
            try:
                fd = listen(host, port).detach()  # gunicorn closes it
            except PreflightError as error:
                raise CommandError(str(error)) from error
        WebServer(fd).run()
