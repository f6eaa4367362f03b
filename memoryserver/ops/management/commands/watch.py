"""`manage.py watch`: look for trouble from outside of the job cluster, for servers that `manage.py up` does not run."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memoryserver.ops import watch


class Command(BaseCommand):
    """Looks each minute until SIGTERM or Ctrl-C; with --once, one time."""

    help = "Look for dead schedules and a dead job cluster, and tell of alerts. Run one of these beside the cluster."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whether to stay."""
        parser.add_argument("--once", action="store_true", help="look once and end, for a timer such as cron's")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        """What is found is told as alerts; it is no failure of this command."""
        watch.look()
        if once:
            return
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        watch.keep_looking(stop)
