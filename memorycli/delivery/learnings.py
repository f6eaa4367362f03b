"""The channel of captured learnings: the queue files of capture, with its own pauses and alerts."""

from __future__ import annotations

from capture.local.queue import files as queue
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.queue.processor import Processed, QueueProcessor
from capture.local.queue.sink import HttpsSink
from memorycli.delivery import alerts
from memorycli.delivery.report import NOTHING_NEW, ChannelReport
from memorycli.delivery.scope import Scope
from memoryserver.client import home_folder
from memoryserver.client.http import Client
from memoryserver.common.counted import counted

LOCK_TIMEOUT = 10.0  # seconds to wait for another process that delivers


def process(client: Client, *, ignore_pauses: bool = False) -> Processed:
    """Make one pass over the queue to the server of `client`. Raises LockTimeoutError and OSError."""
    processor = QueueProcessor(
        home_folder.path() / QUEUE_FOLDER,
        HttpsSink(client),
        alert=alerts.alert,
        recovered=alerts.recovered,
    )
    return processor.process(ignore_pauses=ignore_pauses, lock_timeout=LOCK_TIMEOUT)


def deliver(client: Client, scope: Scope) -> ChannelReport:
    """Send the queue files that are due, with `retry_failed` also what failed. Raises LockTimeoutError, OSError."""
    if scope.retry_failed:
        for path, _ in queue.failed(home_folder.path() / QUEUE_FOLDER):
            queue.put_back(path)
    done = process(client, ignore_pauses=scope.ignore_pauses)
    parts = [f"{counted(done.delivered, 'queue file')} delivered" if done.delivered else NOTHING_NEW]
    if done.failed:
        parts.append(f"{done.failed} failed (see: memory capture failed)")
    if done.error:
        parts.append(f"{done.waiting} wait: {done.error}")
    return ChannelReport(", ".join(parts), complete=not done.failed and not done.error)
