"""`memory capture`: learnings out of transcripts into the queue, the queue to the server, and both by themselves."""

from __future__ import annotations

import json
import logging
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from capture.local import QueueFullError
from capture.local.scanning.scanner import scan
from capture.local.service.logfile import LOG_FILE, log_to_file
from memorycli.commands import capture_queue, capture_run, capture_service
from memorycli.commands.capture_summary import LOCK_TIMEOUT, scanned
from memorycli.errors import CommandError
from memoryserver.client import home_folder
from memoryserver.common.files import LockTimeoutError
from memoryserver.common.text import one_line


def configure(parser: ArgumentParser) -> None:
    """The actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    running = _action(actions, "run", "scan and deliver every two to three minutes, until stopped")
    running.add_argument("--once", action="store_true", help="a single cycle")
    scanning = _action(actions, "scan", "read what is new in the transcripts, put learnings into the queue")
    for parser_ in (running, scanning):
        parser_.add_argument(
            "--root", action="append", type=Path, metavar="DIR",
            help="read the transcripts below DIR in place of the agents' own folders; repeatable",
        )  # fmt: skip
    processing = _action(actions, "process", "deliver the queue to the server")
    processing.add_argument("--now", action="store_true", help="also what waits for its next try")
    _action(actions, "status", "what was captured, what waits, what failed")
    _action(actions, "failed", "the queue files that can never be stored, and why")
    retrying = _action(actions, "retry", "put failed queue files back into the queue")
    retrying.add_argument("name", nargs="*", help="only these (a file's name as `failed` shows it)")
    for name, help_line in (
        ("install", "have `run` started by the system, now and at every login"),
        ("uninstall", "undo `install`"),
    ):
        action = _action(actions, name, help_line)
        action.add_argument("--dry-run", action="store_true", help="show what would be done, do nothing")


def run(args: Namespace) -> int:
    """Do the chosen action."""
    if args.action in ("install", "uninstall"):
        return capture_service.run(args)
    for root in getattr(args, "root", None) or []:
        if not root.is_dir():
            raise CommandError(f"{root} is no folder")
    try:
        with _logging():
            if args.action == "scan":
                return _scan(args)
            if args.action == "run":
                return capture_run.run(args)

            return capture_queue.run(args)
    except (LockTimeoutError, QueueFullError) as error:
        raise CommandError(str(error)) from error


def _action(actions: Any, name: str, help_line: str) -> ArgumentParser:
    parser: ArgumentParser = actions.add_parser(name, help=help_line, description=help_line)
    parser.add_argument("--json", action="store_true", help="as JSON")
    return parser


@contextmanager
def _logging() -> Iterator[None]:
    """What capture does goes into its log; where that cannot be written, capture goes on without."""
    try:
        handler: logging.Handler = log_to_file(home_folder.path())
    except OSError as error:
        handler = logging.NullHandler()
        print(f"memory: no log is written: {error}", file=sys.stderr)
    try:
        yield
    finally:
        logging.getLogger("capture").removeHandler(handler)
        handler.close()


def _scan(args: Namespace) -> int:
    report = scan(home_folder.path(), args.root, lock_timeout=LOCK_TIMEOUT)
    print(json.dumps(asdict(report)) if args.json else scanned(report))
    if report.problems:
        more = (
            f" (and {len(report.problems) - 1} more, see {home_folder.path() / LOG_FILE})"
            if report.problems[1:]
            else ""
        )
        raise CommandError(f"could not capture {one_line(report.problems[0])}{more}")
    return 0
