"""`manage.py qcluster`: a job worker. It replaces django-q2's command of this name; see `ops.worker`."""

from __future__ import annotations

import signal
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryserver.ops.brokers.common import EMBEDDING_QUEUE
from memoryserver.ops.watchdog import Watchdog, notify_systemd
from memoryserver.ops.worker import JobWorker


class Command(BaseCommand):
    """Run jobs until SIGTERM or Ctrl-C; `manage.py up` starts one or more of these and restarts them."""

    help = "Run the jobs that are due. To run several at once, start several."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --queue and --run-once."""
        parser.add_argument(
            "--queue",
            choices=[EMBEDDING_QUEUE],
            default="",
            help="run the jobs that embed alone, where MEMORYSERVER_EMBEDDING_QUEUE gives them a queue of their own",
        )
        parser.add_argument("--run-once", action="store_true", help="run the jobs that are due and exit")

    def handle(self, *args: Any, queue: str, run_once: bool, **options: Any) -> None:
        """Run jobs. The exit status is 0 unless the worker made no progress."""
        if queue and not settings.EMBEDDING_QUEUE:
            raise CommandError("jobs that embed have no queue of their own; set MEMORYSERVER_EMBEDDING_QUEUE=1")
        worker = JobWorker(Watchdog(), queue)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stop())
        if run_once:
            worker.run_waiting()
            return
        notify_systemd("READY=1")
        worker.run()
