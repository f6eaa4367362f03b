"""`memory capture`: captures learnings from transcripts, delivers them to the server, or runs as a daemon for both."""

from __future__ import annotations

import importlib
import logging
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from capture.local import QueueFullError
from capture.local.service.logfile import log_to_file
from memorycli.errors import CommandError
from memoryserver.client import home_folder
from memoryserver.common.files import LockTimeoutError

_EXCLUSIONS = {
    "exclude": "keep a folder and all below it, or a repository with its worktrees, out of the memory",
    "include": "undo that: from now on the folder is captured again",
    "excluded": "list what is excluded",
}
_MODULES = {
    "run": "capture_run",
    "scan": "capture_scan",
    "install": "capture_service",
    "uninstall": "capture_service",
    **dict.fromkeys(_EXCLUSIONS, "capture_exclusions"),
}
"""Of the actions that do not belong to `capture_queue`. Only that of the chosen one is imported: to load the rules of
the extraction takes longer than all that `status` or `push` do."""

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
    for name, help_line in _EXCLUSIONS.items():
        excluding = _action(actions, name, help_line)
        if name != "excluded":
            excluding.add_argument(
                "path", nargs="?", metavar="PATH",
                help="the folder (default: this repository, or without one this folder)",
            )  # fmt: skip
    for name, help_line in (
        ("install", "install `run` as a service that starts now and at every login"),
        ("uninstall", "stop and remove the service"),
    ):
        action = _action(actions, name, help_line)
        action.add_argument("--dry-run", action="store_true", help="show what would be done and change nothing")


def run(args: Namespace) -> int:
    """Run the chosen action."""
    for root in getattr(args, "root", None) or []:
        if not root.is_dir():
            raise CommandError(f"{root} is not a folder")
    module = importlib.import_module(f"memorycli.commands.capturing.{_MODULES.get(args.action, 'capture_queue')}")
    if args.action in ("install", "uninstall"):
        return int(module.run(args))
    try:
        with _logging():
            return int(module.run(args))
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
