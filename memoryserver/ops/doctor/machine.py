"""Checks of the machine: disk, clock, files that others can read, backups, and what the logs say."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.common.counted import counted
from memoryserver.common.text import one_line, shorten
from memoryserver.environment import KEY_FILE
from memoryserver.logs import ERRORS_FILE
from memoryserver.ops.backups import BackupError, archive, rotation
from memoryserver.ops.backups.progress import in_words
from memoryserver.ops.doctor import Finding

LEAST_FREE = 1_000_000_000  # bytes
LEAST_SHARE = 0.05  # of the disk
RECENT = timedelta(days=1)
TRIAL = timedelta(days=7)
"""How long a new server may do without backups."""
CLOCK_TOLERANCE = 5.0  # seconds

_TAIL = 1 << 20  # bytes of a log that are read
_POSTGRES_LINE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\S* (?:UTC|GMT) .*?(FATAL|PANIC):\s+(.*)")
_LESS_DATA = "keep less: MEMORYSERVER_TRAJECTORY_RETENTION_DAYS=30, MEMORYSERVER_LOG_RETENTION_MONTHS=3"
_EXPECTED = ("the database system is", "terminating connection", "connection to client lost")


def disk() -> Iterator[Finding]:
    """Check that the disks of the data and of the backups have room."""
    folders = {settings.DATA_DIR: _LESS_DATA}
    if settings.BACKUP_DIR:
        folders.setdefault(Path(settings.BACKUP_DIR), f"keep fewer: MEMORYSERVER_BACKUP_KEEP is {settings.BACKUP_KEEP}")
    seen = set()
    for folder, less in folders.items():
        if not folder.is_dir() or (device := folder.stat().st_dev) in seen:
            continue
        seen.add(device)
        usage = shutil.disk_usage(folder)
        if usage.free < max(LEAST_FREE, min(LEAST_SHARE * usage.total, 10 * LEAST_FREE)):
            yield Finding(
                f"the disk of {folder} has {in_words(usage.free)} left of {in_words(usage.total)}; nothing can be "
                "stored once it is full",
                f"see what is large: du -sh {folder}/*; {less}",
            )


def private_files() -> Iterator[Finding]:
    """Check that only the server's user can read the secret key."""
    path = settings.DATA_DIR / KEY_FILE
    if path.exists() and path.stat().st_mode & 0o077:
        yield Finding(f"{path} can be read by other users; who has it can forge sessions", f"chmod 600 {path}")


def clock() -> Iterator[Finding]:
    """Check that this machine's clock and the database's agree."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())")
        (seconds,) = cursor.fetchone()
    ahead = datetime.now(UTC).timestamp() - float(seconds)
    if abs(ahead) > CLOCK_TOLERANCE:
        relation = "ahead of" if ahead > 0 else "behind"
        yield Finding(
            f"this machine's clock is {abs(ahead):.0f} s {relation} the database's",
            "set the clocks (with systemd: timedatectl set-ntp true)",
        )


def backups() -> Iterator[Finding]:
    """Check that backups are made, that the newest is recent, and that it can be opened."""
    if not settings.BACKUP_DIR:
        oldest = User.objects.order_by("date_joined").values_list("date_joined", flat=True).first()
        if oldest is not None and timezone.now() - oldest > TRIAL:
            yield Finding(
                "no backups are made: MEMORYSERVER_BACKUP_DIR is not set",
                "set MEMORYSERVER_BACKUP_DIR to a folder on another disk; then one is made every night",
            )
        return
    try:
        newest = rotation.newest()
        if newest is None:
            yield Finding(f"{rotation.folder()} has no backup yet", "manage.py backup")
            return
        path, made_at = newest
        archive.read_manifest(path)
    except BackupError as error:
        yield Finding(str(error), "manage.py backup")
        return
    if timezone.now() - made_at > rotation.OLDEST:
        yield Finding(f"the newest backup is of {made_at:%Y-%m-%d %H:%M} UTC: {path}", "manage.py backup")


def errors() -> Iterator[Finding]:
    """Check that the server has logged no error within the last day."""
    path = settings.DATA_DIR / ERRORS_FILE
    since = datetime.now(UTC) - RECENT
    events: Counter[str] = Counter()
    for line in _tail(path):
        try:
            record = json.loads(line)
            if datetime.fromisoformat(record["timestamp"]) >= since and not _is_no_error(record):
                events[_described(record)] += 1
        except (ValueError, KeyError, TypeError):  # the first line of the tail is torn
            continue
    if events:
        event, count = events.most_common(1)[0]
        often = f", most often ({counted(count, 'time')}): {event}" if len(events) > 1 or count > 1 else f": {event}"
        yield Finding(
            f"{counted(events.total(), 'error')} logged within a day{often}",
            f"read the latest, with its traceback: tail -n 1 {path}; an error counts for a day",
        )


def postgres_log() -> Iterator[Finding]:
    """Check that the embedded Postgres has logged no fatal error within the last day."""
    path = settings.DATA_DIR / "postgres.log"
    since = datetime.now(UTC) - RECENT
    messages = []
    for line in _tail(path):
        match = _POSTGRES_LINE.match(line)
        if match and not match[3].startswith(_EXPECTED):
            when = datetime.strptime(match[1], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
            if when >= since:
                messages.append(match[3])
    if messages:
        errors, last = counted(len(messages), "fatal error"), shorten(one_line(messages[-1]), 200)
        yield Finding(
            f"Postgres logged {errors} within a day, the last: {last}",
            f"see what came before: grep -E -B 5 'FATAL|PANIC' {path}; an error counts for a day",
        )


def _is_no_error(record: dict[str, object]) -> bool:
    """Return whether it is an alert, which has a check of its own, or a request for another host, as scanners send."""
    return record["event"] == "alert" or record.get("logger") == "django.security.DisallowedHost"


def _described(record: dict[str, object]) -> str:
    """Return what was logged, with the last line of its traceback: the error itself."""
    error = str(record.get("exception", "")).strip().rpartition("\n")[2]
    return shorten(one_line(f"{record['event']} ({error})" if error else str(record["event"])), 160)


def _tail(path: Path) -> list[str]:
    """Return the last lines of a log; none if it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - _TAIL, 0))
            return file.read().decode("utf-8", errors="replace").splitlines()
    except OSError:
        return []
