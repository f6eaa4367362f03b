"""`memory capture push`, `status`, `failed` and `retry`: the queue, its delivery and its state."""

from __future__ import annotations

import json
import textwrap
import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from capture.local import CaptureStateManager
from capture.local.queue import files
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.queue.processor import RETRIES_FILE
from capture.local.queue.retries import Retries, Retry
from capture.local.scanning.state import STATE_FOLDER
from capture.local.service import heartbeat
from capture.local.service.logfile import LOG_FILE
from memorycli.commands.capturing.capture_summary import delivery_summary
from memorycli.delivery import connection, learnings
from memorycli.errors import CommandError
from memorycli.rendering import terminal
from memorycli.rendering.progress import Progress
from memorycli.rendering.terminal import paint
from memoryserver.client import home_folder
from memoryserver.common.counted import counted
from memoryserver.common.text import one_line

_LABEL = 11  # columns
_STYLES = {"error": "red", "failed": "red", "waiting": "yellow"}


def run(args: Namespace) -> int:
    """Run the chosen action."""
    return {"push": _push, "process": _push, "status": _status, "failed": _failed, "retry": _retry}[args.action](args)


def _push(args: Namespace) -> int:
    client, folder = connection.load(), home_folder.path() / QUEUE_FOLDER
    total = len(files.waiting(folder))
    with Progress("Delivering") as progress:
        client.after_post = lambda _: progress.update(total - len(files.waiting(folder)), total)
        result = learnings.process(client, ignore_pauses=args.now)
    print(json.dumps(asdict(result)) if args.json else delivery_summary(result))
    if result.error:
        raise CommandError(f"{result.error}; nothing is lost, waiting files are sent again later")
    if result.failed:
        files_refused = counted(result.failed, "queue file")
        raise CommandError(f"the server refused {files_refused} for good; `memory capture failed` shows why")
    return 0


def _status(args: Namespace) -> int:
    status = _gather(home_folder.path())
    print(json.dumps(status) if args.json else _render(status))
    return 0


def _gather(base: Path) -> dict[str, Any]:
    states = CaptureStateManager(base / STATE_FOLDER).all()
    waiting = files.waiting(base / QUEUE_FOLDER)
    retries = Retries(base / QUEUE_FOLDER / RETRIES_FILE).all()
    daemon, last = heartbeat.running(base), heartbeat.read(base)
    return {
        "daemon": asdict(daemon) if daemon else None,
        "contexts": len(states),
        "messages": sum(state.last_message_count for state in states),
        "compactions": sum(state.compaction_count for state in states),
        "last_capture": max((state.last_capture_timestamp for state in states), default=""),
        "queue_files": len(waiting),
        "queue_bytes": sum(files.size(path) for path in waiting),
        "last_error": last.last_error if last else "",
        "retries": [_retry_fields(name, retry) for name, retry in sorted(retries.items())],
        "failed": _failed_files(base),
        "log": str(base / LOG_FILE),
    }  # fmt: skip


def _failed_files(base: Path) -> list[dict[str, str]]:
    return [{"name": path.name, "reason": reason} for path, reason in files.failed(base / QUEUE_FOLDER)]


def _retry_fields(name: str, retry: Retry) -> dict[str, Any]:
    in_seconds = max(0, round(retry.due - time.time()))
    return {"name": name, "attempts": retry.attempts, "in_seconds": in_seconds, "error": retry.error}


def _render(status: dict[str, Any]) -> str:
    counts = [
        counted(status["contexts"], "transcript"),
        counted(status["messages"], "message"),
        counted(status["compactions"], "compaction"),
    ]
    lines = [
        ("daemon", _daemon_line(status["daemon"])),
        ("captured", ", ".join(counts)),
        ("last", status["last_capture"] or "never"),
        *([("error", one_line(status["last_error"]))] if status["last_error"] else []),
        ("queue", f"{counted(status['queue_files'], 'file')}, {status['queue_bytes'] / 1024:.1f} KiB"),
        ("log", status["log"]),
    ]
    for retry in status["retries"]:
        attempts = f"{counted(retry['attempts'], 'failed attempt')}, next in {retry['in_seconds']} s"
        lines.append(("waiting", f"{retry['name']}: {attempts}; {one_line(retry['error'])}"))
    lines += [("failed", _failed_line(file)) for file in status["failed"]]
    return "\n".join(line for label, text in lines for line in _labelled(label, text))


def _labelled(label: str, text: str) -> Iterator[str]:
    """Yield the text beside its label in lines that fit the terminal; a long word, such as a path, is not cut."""
    lines = textwrap.wrap(text, terminal.text_width() - _LABEL, break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines or [""]):
        head = f"{label if number == 0 else '':<{_LABEL}}"
        yield (paint(head, _STYLES[label]) if number == 0 and label in _STYLES else head) + line


def _daemon_line(daemon: dict[str, Any] | None) -> str:
    if daemon is None:
        return "not running; start it with `memory capture install`"
    return f"process {daemon['pid']} since {daemon['started']}, {counted(daemon['cycles'], 'cycle')}"


def _failed_line(file: dict[str, str]) -> str:
    return f"{file['name']}: {one_line(file['reason'])}"


def _failed(args: Namespace) -> int:
    failed = _failed_files(home_folder.path())
    if args.json:
        print(json.dumps(failed))
    elif failed:
        print("\n".join(_failed_line(file) for file in failed))
    else:
        print("No queue file has failed.")
    return 0


def _retry(args: Namespace) -> int:
    failed = {path.name: path for path, _ in files.failed(home_folder.path() / QUEUE_FOLDER)}
    unknown = [name for name in args.name if name not in failed]
    if unknown:
        raise CommandError(f"{one_line(unknown[0])} is not a failed queue file; `memory capture failed` lists them")
    names = list(dict.fromkeys(args.name)) or list(failed)
    for name in names:
        files.put_back(failed[name])
    print(
        json.dumps({"put_back": names})
        if args.json
        else f"{counted(len(names), 'queue file')} put back; deliver with `memory capture push`."
    )
    return 0
