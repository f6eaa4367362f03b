"""`memory capture`: captures learnings from transcripts, delivers them to the server, or runs as a daemon for both."""

from __future__ import annotations

import json
import logging
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from capture.local import QueueFullError
from capture.local.scanning.scanner import scan
from capture.local.service.logfile import LOG_FILE, log_to_file
from memorycli.commands.capturing import capture_exclusions, capture_queue, capture_run, capture_service
from memorycli.commands.capturing.capture_summary import LOCK_TIMEOUT, scan_summary
from memorycli.errors import CommandError
from memorycli.rendering.progress import Progress
from memoryserver.client import home_folder
from memoryserver.common.files import LockTimeoutError
from memoryserver.common.text import one_line

_OLD_PUSH = "process"  # the name of `push` in 0.1


def configure(parser: ArgumentParser) -> None:
    """Add the actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    running = _action(actions, "run", "scan and deliver every two to three minutes, until stopped")
    running.add_argument("--once", action="store_true", help="run a single cycle")
    scanning = _action(actions, "scan", "read the new messages of the transcripts and queue their learnings")
    for parser_ in (running, scanning):
        parser_.add_argument(
            "--root", action="append", type=Path, metavar="DIR",
            help="read the transcripts below DIR instead of the agents' own folders; repeatable",
        )  # fmt: skip
    pushing = _action(actions, "push", "deliver the queue to the server", aliases=[_OLD_PUSH])
    pushing.add_argument("--now", action="store_true", help="do not wait for the next attempt of each file")
    _action(actions, "status", "show what was captured, what is waiting and what failed")
    _action(actions, "failed", "list the queue files that are damaged or refused by the server, with the reasons")
    retrying = _action(actions, "retry", "put failed queue files back into the queue")
    retrying.add_argument("name", nargs="*", help="only these files, named as `failed` shows them")
    for name, help_line in capture_exclusions.ACTIONS.items():
        capture_exclusions.configure(name, _action(actions, name, help_line))
    for name, help_line in (
        ("install", "install `run` as a service that starts now and at every login"),
        ("uninstall", "stop and remove the service"),
    ):
        action = _action(actions, name, help_line)
        action.add_argument("--dry-run", action="store_true", help="show what would be done and change nothing")


def run(args: Namespace) -> int:
    """Run the chosen action."""
    if args.action in ("install", "uninstall"):
        return capture_service.run(args)
    for root in getattr(args, "root", None) or []:
        if not root.is_dir():
            raise CommandError(f"{root} is not a folder")
    try:
        with _logging():
            if args.action == "scan":
                return _scan(args)
            if args.action == "run":
                return capture_run.run(args)
            if args.action in capture_exclusions.ACTIONS:
                return capture_exclusions.run(args)
            return capture_queue.run(args)
    except (LockTimeoutError, QueueFullError) as error:
        raise CommandError(str(error)) from error


def _action(actions: Any, name: str, help_line: str, *, aliases: Sequence[str] = ()) -> ArgumentParser:
    parser: ArgumentParser = actions.add_parser(name, help=help_line, description=help_line, aliases=aliases)
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


@contextmanager
def _logging() -> Iterator[None]:
    """Log capture's events to its file during the block; if it cannot be written, warn and continue without."""
    try:
        handler: logging.Handler = log_to_file(home_folder.path())
    except OSError as error:
        handler = logging.NullHandler()
        print(f"memory: the log cannot be written: {error}", file=sys.stderr)
    try:
        yield
    finally:
        logging.getLogger("capture").removeHandler(handler)
        handler.close()


def _scan(args: Namespace) -> int:
    with Progress("Reading transcripts") as progress:
        report = scan(home_folder.path(), args.root, lock_timeout=LOCK_TIMEOUT, progress=progress.update)
    print(json.dumps(asdict(report)) if args.json else scan_summary(report))
    if report.problems:
        more = (
            f" (and {len(report.problems) - 1} more, see {home_folder.path() / LOG_FILE})"
            if report.problems[1:]
            else ""
        )
        raise CommandError(f"could not capture {one_line(report.problems[0])}{more}")
    return 0
