"""Delivers the queue to a sink, oldest first; a file is deleted only after the sink has confirmed it."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capture.local.queue import files as queue
from capture.local.queue.alerts import PERSISTENT, Alerts, Notify
from capture.local.queue.retries import Retries
from capture.local.queue.sink import Receipt, Sink, SinkRefusedError, SinkUnavailableError
from memoryserver.client.exclusions import Exclusions
from memoryserver.common import files

_log = logging.getLogger(__name__)
RETRIES_FILE = ".retries.json"
ALERTS_FILE = ".alerts.json"
LOCK_FILE = ".processor.lock"
LARGEST_FILE = 64 * 1024 * 1024
_DOWN_AFTER = 2  # unavailable for two files in a row: the cause is the sink and not the files


@dataclass(slots=True)
class Processed:
    """The result of one pass over the queue. `waiting` files are still in it; `error` is the last delivery error.

    In `due_in` seconds the first of them is due (0 if the pass ended before it); None if none is waiting.
    """

    delivered: int = 0
    stored: int = 0
    known: int = 0
    failed: int = 0
    waiting: int = 0
    error: str = ""
    due_in: float | None = None


class QueueProcessor:
    """Delivers the queue in `folder` to `sink`.

    `alert` is called for each file that cannot be stored and, once, for deliveries that have failed for half an
    hour; `recovered` when those work again. By default both write to the log. `now` is Unix seconds. When `stop`
    returns true the pass ends after the current file.
    """

    def __init__(
        self,
        folder: Path,
        sink: Sink,
        *,
        alert: Notify | None = None,
        recovered: Notify | None = None,
        now: Callable[[], float] = time.time,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._folder = folder
        self._sink = sink
        self._alert = alert or _log.error
        self._recovered = recovered
        self._now = now
        self._stop = stop
        self._exclusions = Exclusions()
        self._held: set[str] = set()

    def process(self, *, ignore_pauses: bool = False, lock_timeout: float = 10.0) -> Processed:
        """Run one pass: try every file that is due, with `ignore_pauses` every file.

        A file that is malformed or refused goes to `failed/` with the reason; one that cannot be delivered now
        stays and is tried again after a growing pause. One from a folder that has been excluded stays too, and does
        not count as waiting. No file blocks the others; if the sink is unavailable for two in a row the pass ends.
        Raises LockTimeoutError while another process delivers, and OSError.
        """
        files.make_folder(self._folder)
        with files.lock(self._folder / LOCK_FILE, timeout=lock_timeout):
            files.sweep_temporaries(self._folder)
            retries = Retries(self._folder / RETRIES_FILE)
            result = Processed()
            self._pass(retries, result, ignore_pauses=ignore_pauses)
            names = {path.name for path in queue.waiting(self._folder)} - self._held
            retries.keep_only(names)
            result.waiting = len(names)
            result.due_in = retries.next_due(names, self._now())
            self._update_alerts(retries, result)
            return result

    def _pass(self, retries: Retries, result: Processed, *, ignore_pauses: bool) -> None:
        unavailable = 0
        for path in queue.waiting(self._folder):
            if unavailable >= _DOWN_AFTER or self._stop():
                return
            if ignore_pauses or retries.is_due(path.name, self._now()):
                unavailable = 0 if self._deliver(path, retries, result) else unavailable + 1

    def _deliver(self, path: Path, retries: Retries, result: Processed) -> bool:
        """Try one file; return False if the sink was not available for it."""
        try:
            content = _load(path)
            if self._is_excluded(content):
                self._held.add(path.name)
                return True
            receipt = self._sink.store(content)
            _check(receipt, content)
        except FileNotFoundError:
            return True  # another process removed it
        except OSError as error:  # this file cannot be read; sinks raise other errors
            self._postpone(path, str(error), retries, result)
            return True
        except SinkUnavailableError as error:
            self._postpone(path, str(error), retries, result, error.retry_after)
            return False
        except (_MalformedError, SinkRefusedError) as error:
            self._reject(path, str(error), retries, result)
            return True
        path.unlink(missing_ok=True)
        files.sync_folder(path.parent)
        retries.drop(path.name)
        result.delivered += 1
        result.stored += receipt.stored
        result.known += receipt.known
        _log.info("%s delivered: %d new learnings, %d known", path.name, receipt.stored, receipt.known)
        return True

    def _is_excluded(self, content: dict[str, Any]) -> bool:
        about = content.get("metadata")
        if not self._exclusions or not isinstance(about, dict):
            return False
        folder = str(about.get("cwd") or "")
        return bool(self._exclusions.of(folder)) or self._exclusions.has_project(about.get("project"))

    def _postpone(self, path: Path, error: str, retries: Retries, result: Processed, retry_after: float = 0.0) -> None:
        retry = retries.fail(path.name, error, self._now(), retry_after)
        result.error = error
        _log.warning("%s could not be delivered (attempt %d): %s", path.name, retry.attempts, error)

    def _reject(self, path: Path, reason: str, retries: Retries, result: Processed) -> None:
        try:
            target = queue.set_aside(path, reason)
        except OSError as error:
            self._postpone(path, f"{reason}; and it cannot be moved: {error}", retries, result)
            return
        retries.drop(path.name)
        result.failed += 1
        self._alert(f"{path.name} cannot be stored and was moved to {target.parent}: {reason}")

    def _update_alerts(self, retries: Retries, result: Processed) -> None:
        """Alert once about deliveries that have failed for half an hour: all of them, or some while others work."""
        alerts = Alerts(self._folder / ALERTS_FILE, alert=self._alert, recovered=self._recovered, now=self._now)
        was_down = alerts.is_reported("delivery")
        if result.error and not result.delivered:
            waiting = f"{result.waiting} queue files wait and are kept"
            alerts.report("delivery", f"learnings cannot be delivered, {waiting}: {result.error}", lasting=PERSISTENT)
        elif result.delivered or not result.waiting:
            alerts.clear("delivery")
        stuck = retries.failing_since(self._now() - PERSISTENT)
        if not stuck:
            alerts.clear("stuck")
        elif result.delivered and result.error and not was_down:
            error = retries.all()[stuck[0]].error
            alerts.report("stuck", f"{stuck[0]} cannot be delivered while others can, it is kept: {error}")


class _MalformedError(Exception):
    """The file in the queue is not a queue file."""


def _load(path: Path) -> dict[str, Any]:
    if not path.is_file() and path.exists():
        raise _MalformedError("not a file")
    if path.stat().st_size > LARGEST_FILE:
        raise _MalformedError(f"larger than {LARGEST_FILE} bytes")
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise _MalformedError(f"invalid JSON: {error}") from error
    if not isinstance(content, dict):
        raise _MalformedError("not a JSON object")
    missing = [name for name in ("capture_id", "context_id", "message_range", "learnings") if name not in content]
    if missing:
        raise _MalformedError(f"without {', '.join(missing)}")
    return content


def _check(receipt: Receipt, content: dict[str, Any]) -> None:
    if receipt.capture_id != str(content["capture_id"]):
        raise SinkUnavailableError(f"the sink confirmed {receipt.capture_id} in place of {content['capture_id']}")
