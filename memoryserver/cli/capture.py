"""`memory capture`: learnings out of transcripts into the queue, and the queue to the server."""

from __future__ import annotations

import json
import logging
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from capture.local import CaptureStateManager, HttpsSink, QueueFullError, QueueProcessor, queue
from capture.local.logfile import LOG_FILE, log_to_file
from capture.local.processor import RETRIES_FILE, Processed
from capture.local.retries import Retries, Retry
from capture.local.scan import QUEUE_FOLDER, STATE_FOLDER, ScanReport, scan
from memoryserver.cli import connection
from memoryserver.cli.main import CommandError
from memoryserver.local.client import Client
from memoryserver.local.files import LockTimeoutError
from memoryserver.local.places import home
from memoryserver.local.text import one_line

HELP = "learnings out of transcripts: scan them, deliver what was found"
_LOCK_TIMEOUT = 10.0  # seconds


def configure(parser: ArgumentParser) -> None:
    """`scan`, `process`, `status` and `retry`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    scanning = _action(actions, "scan", "read what is new in the transcripts, put learnings into the queue")
    scanning.add_argument(
        "--root", action="append", type=Path, metavar="DIR",
        help="read the transcripts below DIR in place of the agents' own folders; repeatable",
    )  # fmt: skip
    processing = _action(actions, "process", "deliver the queue to the server")
    processing.add_argument("--now", action="store_true", help="also what waits for its next try")
    _action(actions, "status", "what was captured, what waits, what failed")
    retrying = _action(actions, "retry", "put failed queue files back into the queue")
    retrying.add_argument("name", nargs="*", help="only these (a file's name as `status` shows it)")


def run(args: Namespace) -> int:
    """Do the chosen action."""
    try:
        with _logging():
            return {"scan": _scan, "process": _process, "status": _status, "retry": _retry}[args.action](args)
    except (LockTimeoutError, QueueFullError) as error:
        raise CommandError(str(error)) from error


def deliver(client: Client, *, ignore_pauses: bool = False) -> Processed:
    """One pass over the queue to the server of `client`. Raises LockTimeoutError and OSError."""
    processor = QueueProcessor(home() / QUEUE_FOLDER, HttpsSink(client))
    return processor.process(ignore_pauses=ignore_pauses, lock_timeout=_LOCK_TIMEOUT)


def _action(actions: Any, name: str, help_line: str) -> ArgumentParser:
    parser: ArgumentParser = actions.add_parser(name, help=help_line, description=help_line)
    parser.add_argument("--json", action="store_true", help="as JSON")
    return parser


@contextmanager
def _logging() -> Iterator[None]:
    """What capture does goes into its log; where that cannot be written, capture goes on without."""
    try:
        handler: logging.Handler = log_to_file(home())
    except OSError as error:
        handler = logging.NullHandler()
        print(f"memory: no log is written: {error}", file=sys.stderr)
    try:
        yield
    finally:
        logging.getLogger("capture").removeHandler(handler)
        handler.close()


def _scan(args: Namespace) -> int:
    for root in args.root or []:
        if not root.is_dir():
            raise CommandError(f"{root} is no folder")
    report = scan(home(), args.root, lock_timeout=_LOCK_TIMEOUT)
    print(json.dumps(asdict(report)) if args.json else _scanned(report))
    if report.problems:
        more = f" (and {len(report.problems) - 1} more, see {home() / LOG_FILE})" if report.problems[1:] else ""
        raise CommandError(f"could not capture {one_line(report.problems[0])}{more}")
    return 0


def _scanned(report: ScanReport) -> str:
    if not report.transcripts:
        return "No transcripts found; name their folder with --root."
    found = f"{_count(report.learnings, 'learning')} into {_count(len(report.queued), 'queue file')}"
    return (
        f"{_count(report.transcripts, 'transcript')}, {report.changed} with something new: "
        f"{_count(report.messages, 'message')}, {found if report.learnings else 'no new learnings'}."
    )


def _process(args: Namespace) -> int:
    done = deliver(connection.load(), ignore_pauses=args.now)
    print(json.dumps(asdict(done)) if args.json else _delivered(done))
    if done.error:
        raise CommandError(f"{done.error}; nothing is lost, what waits is sent again later")
    return 0


def _delivered(done: Processed) -> str:
    parts = [
        f"{_count(done.delivered, 'queue file')} delivered, {_count(done.stored, 'new learning')}, {done.known} known"
    ]
    if done.failed:
        parts.append(f"{done.failed} can never be stored (`memory capture status` says why)")
    if done.waiting:
        parts.append(f"{done.waiting} waiting")
    return "; ".join(parts) + "."


def _status(args: Namespace) -> int:
    status = _gather(home())
    print(json.dumps(status) if args.json else _render(status))
    return 0


def _gather(base: Path) -> dict[str, Any]:
    states = CaptureStateManager(base / STATE_FOLDER).all()
    waiting = queue.waiting(base / QUEUE_FOLDER)
    retries = Retries(base / QUEUE_FOLDER / RETRIES_FILE).all()
    return {
        "contexts": len(states),
        "messages": sum(state.last_message_count for state in states),
        "compactions": sum(state.compaction_count for state in states),
        "last_capture": max((state.last_capture_timestamp for state in states), default=""),
        "queue_files": len(waiting),
        "queue_bytes": sum(path.stat().st_size for path in waiting),
        "retries": [_retry_shown(name, one) for name, one in sorted(retries.items())],
        "failed": [{"name": path.name, "reason": reason} for path, reason in queue.failed(base / QUEUE_FOLDER)],
        "log": str(base / LOG_FILE),
    }  # fmt: skip


def _retry_shown(name: str, retry: Retry) -> dict[str, Any]:
    in_seconds = max(0, round(retry.due - time.time()))
    return {"name": name, "attempts": retry.attempts, "in_seconds": in_seconds, "error": retry.error}


def _render(status: dict[str, Any]) -> str:
    counts = [_count(status[name + "s"], name) for name in ("context", "message", "compaction")]
    lines = [
        f"captured   {', '.join(counts)}",
        f"last       {status['last_capture'] or 'never'}",
        f"queue      {_count(status['queue_files'], 'file')}, {status['queue_bytes'] / 1024:.1f} KiB",
        f"log        {status['log']}",
    ]
    for one in status["retries"]:
        tries = f"{_count(one['attempts'], 'try', 'tries')}, next in {one['in_seconds']} s"
        lines.append(f"waiting    {one['name']}: {tries}; {one_line(one['error'])}")
    lines += [f"failed     {one['name']}: {one_line(one['reason'])}" for one in status["failed"]]
    return "\n".join(lines)


def _retry(args: Namespace) -> int:
    failed = {path.name: path for path, _ in queue.failed(home() / QUEUE_FOLDER)}
    unknown = [name for name in args.name if name not in failed]
    if unknown:
        raise CommandError(f"{one_line(unknown[0])} is not among the failed; `memory capture status` lists them")
    names = args.name or list(failed)
    for name in names:
        queue.put_back(failed[name])
    print(
        json.dumps({"put_back": names})
        if args.json
        else f"{_count(len(names), 'queue file')} put back; deliver with `memory capture process`."
    )
    return 0


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
