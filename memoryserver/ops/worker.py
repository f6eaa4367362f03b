"""The job worker: schedules and runs jobs of django-q2's queue, all in one process.

It takes the place of django-q2's cluster, whose five processes share queues and locks: a worker that is killed while it
waits takes the lock of its queue with it, and no job runs until everything is restarted. Here nothing is shared but
the database and the queue. Several workers may run at once; what one leaves undone when it dies is run again by
another, when the lease on its job has ended.

A second thread sends signs of life and renews that lease while the first makes progress, and ends the process when it
does not.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
from multiprocessing import Value
from typing import Any

from django.db import Error, close_old_connections, connection
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.conf import Conf
from django_q.monitor import monitor
from django_q.scheduler import scheduler
from django_q.signing import BadSignature, SignedPackage
from django_q.worker import rss_check, worker

from memoryserver.ops.brokers.common import RENEWALS, QueueUnavailableError, lease
from memoryserver.ops.models import CLUSTER, CLUSTER_LIMIT, CLUSTER_START, Heartbeat
from memoryserver.ops.schedules import correct_future_runs
from memoryserver.ops.watchdog import SupervisorGoneError, Watchdog
from memoryserver.outages.errors import is_outage, reason_of

logger = logging.getLogger(__name__)

SCHEDULE_INTERVAL = 10.0  # seconds between looks at the schedules
STEP_LIMIT = 60.0  # seconds for anything but a job: a query, recording a result
JOB_MARGIN = 30.0  # seconds beyond a job's own time limit
SIGN_INTERVAL = 2.0  # seconds between two signs of life
HEARTBEAT_INTERVAL = 10.0  # seconds between two heartbeats in the database
DATABASE_PAUSE = 5.0  # seconds to wait while the database does not respond
STOP_LIMIT = 25.0  # seconds for the running job when the worker is to stop; it is run again later


class JobWorker:
    """Runs jobs until `stop` is called, or until it has run so many that it should be replaced."""

    def __init__(self, watchdog: Watchdog, queue_name: str = "") -> None:
        self._broker = get_broker(queue_name or None)
        self._watchdog = watchdog
        self._stopping = False
        self._stop_deadline = float("inf")
        self._deadline = time.monotonic() + STEP_LIMIT  # by when the current step must have ended
        self._working = False  # the database responded when it was last asked for a job
        self._started = False  # it has been asked
        self._next_schedule = 0.0
        self._jobs_run = 0
        self._worn_out = False
        self._claimed: int | None = None  # the key of the running job

    def stop(self) -> None:
        """End after the running job, or without it if it takes longer than STOP_LIMIT. Safe in a signal handler."""
        self._stop_deadline = time.monotonic() + STOP_LIMIT
        self._stopping = True

    def run(self) -> None:
        """Run jobs until `stop` is called or this process should be replaced by a new one."""
        finished = threading.Event()
        thread = threading.Thread(target=self._show_life, args=[finished], daemon=True)
        thread.start()
        try:
            self._run_jobs()
        finally:
            finished.set()
            thread.join(STEP_LIMIT)

    def _run_jobs(self) -> None:
        while not self._stopping and not self._worn_out:
            self._begin(STEP_LIMIT)
            try:
                self.step()
            except (Error, QueueUnavailableError) as error:
                if self._working or not self._started:
                    _log_wait(error)
                self._working, self._started, self._claimed = False, True, None
                connection.close()
                time.sleep(DATABASE_PAUSE)

    def run_waiting(self) -> None:
        """Run what is due and return."""
        while self.step() and not self._stopping:
            pass

    def step(self) -> bool:
        """Enqueue what is scheduled and run the next job; return False, after a short wait, if none is due."""
        if time.monotonic() >= self._next_schedule:
            correct_future_runs()
            scheduler(broker=self._broker)
            self._next_schedule = time.monotonic() + SCHEDULE_INTERVAL
        claimed = self._broker.dequeue() or []
        if not self._working:
            record_heartbeat()
            if self._started:
                logger.info("the job worker goes on")
            self._working = self._started = True
        for key, payload in claimed:
            self._run(key, payload)
        return bool(claimed)

    def _run(self, key: int, payload: str) -> None:
        try:
            task = SignedPackage.loads(payload)
        except (BadSignature, TypeError):
            logger.exception("a job that cannot be read was removed from the queue")
            self._broker.fail(key)
            return
        task |= {"cluster": Conf.CLUSTER_NAME, "ack_id": key}
        self._begin(task.get("timeout", Conf.TIMEOUT) + JOB_MARGIN)
        self._claimed = key
        timer = self._execute(task)
        self._claimed = None
        self._jobs_run += 1
        # django-q2 sets 0 after a job that exceeded its time limit: what that left behind in the process is unknown.
        self._worn_out = timer == 0 or self._jobs_run >= Conf.RECYCLE or rss_check()

    def _execute(self, task: dict[str, Any]) -> float:
        """Run `task` and record its result, by django-q2's own functions; return the timer that they share."""
        tasks, results = queue.SimpleQueue[Any](), queue.SimpleQueue[Any]()
        timer = Value("f", -1)
        tasks.put(task)
        tasks.put("STOP")
        worker(tasks, results, timer, Conf.TIMEOUT)
        if not task["success"]:  # `worker` has added it
            _raise_in_outage()
        results.put("STOP")
        monitor(results, self._broker)
        return float(timer.value)

    def _begin(self, seconds: float) -> None:
        """Begin a step that must end within `seconds`."""
        self._deadline = time.monotonic() + seconds

    def _show_life(self, finished: threading.Event) -> None:
        next_heartbeat = next_renewal = 0.0
        while not finished.wait(SIGN_INTERVAL if self._started else 0.1):
            now = time.monotonic()
            if now > min(self._deadline, self._stop_deadline):
                logger.error("the job worker made no progress and ends")
                os._exit(1)
            try:
                if self._started:
                    self._watchdog.alive()
            except SupervisorGoneError:
                os._exit(1)
            if self._working and now >= next_heartbeat:
                record_heartbeat()
                next_heartbeat = now + HEARTBEAT_INTERVAL
            if self._working and now >= next_renewal:
                self._renew()
                next_renewal = now + lease().total_seconds() / RENEWALS
        connection.close()

    def _renew(self) -> None:
        """Keep the running job from other workers. Where that fails, they run it too, which does no harm."""
        key = self._claimed
        if key is not None:
            try:
                self._broker.renew(key)
            except (Error, QueueUnavailableError) as error:
                connection.close()
                logger.warning("a job's lease was not renewed", extra={"reason": " ".join(str(error).split())})


def _raise_in_outage() -> None:
    """Raise the error of a database that cannot be reached: that is why a job failed, which is then run again."""
    connection.close()  # a job that was ended within a statement has left it as it was
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _log_wait(error: Exception) -> None:
    """Write one line at the beginning of a wait, which is no error of the program unless a statement failed."""
    waits_for = "queue" if isinstance(error, QueueUnavailableError) else "database"
    level = logging.WARNING if waits_for == "queue" or is_outage(error) else logging.ERROR
    message = "the job worker waits for the %s and tries again every %.0f s"
    logger.log(level, message, waits_for, DATABASE_PAUSE, extra={"reason": reason_of(error)})


def record_heartbeat() -> None:
    """Record in the database that jobs make progress. Without a database there is nobody to tell."""
    try:
        close_old_connections()
        now = timezone.now()
        beat, is_first = Heartbeat.objects.get_or_create(name=CLUSTER, defaults={"beat_at": now})
        if is_first or now - beat.beat_at > CLUSTER_LIMIT:
            Heartbeat.objects.update_or_create(name=CLUSTER_START, defaults={"beat_at": now})
        Heartbeat.objects.filter(name=CLUSTER).update(beat_at=now)
    except Error:
        connection.close()  # the main thread reports the error
