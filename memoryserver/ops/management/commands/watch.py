"""`manage.py watch`: run the checks outside of the job cluster, for servers not run by `manage.py up`."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memoryserver.ops import watch


class Command(BaseCommand):
    """Run the checks each minute until SIGTERM or Ctrl-C, or once with --once."""

    help = "Check for dead schedules and a dead job cluster, and send alerts. Run one of these beside the cluster."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --once."""
        parser.add_argument("--once", action="store_true", help="check once and exit, for a timer such as cron")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        """Run the checks. Problems are reported as alerts and do not affect the exit status."""
        watch.run_checks()
        if once:
            return
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        watch.run_until(stop)
