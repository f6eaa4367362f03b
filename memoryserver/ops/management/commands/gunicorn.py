"""`manage.py gunicorn`: the web server, as `manage.py up` starts it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memoryserver.ops.webserver import WebServer


class Command(BaseCommand):
    """Serve requests on a socket that the parent process has opened."""

    help = "Serve an inherited socket; part of `manage.py up`."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --fd."""
        parser.add_argument("--fd", type=int, required=True, help="the descriptor of the listening socket")

    def handle(self, *args: Any, fd: int, **options: Any) -> None:
        """Serve until SIGTERM."""
        WebServer(fd).run()
