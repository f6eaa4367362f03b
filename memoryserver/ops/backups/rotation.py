"""The backups in a folder of their own, of which the newest are kept: made every night, or by `manage.py backup`."""

from __future__ import annotations

import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from memoryserver.common.files import TEMPORARY_SUFFIX, LockTimeoutError, lock
from memoryserver.environment import manage_command
from memoryserver.ops.alerting import alerts
from memoryserver.ops.backups import BackupError, archive, dumping
from memoryserver.ops.backups.archive import Manifest, Report
from memoryserver.ops.models import Heartbeat

HEARTBEAT = "backup"
FAILED, OVERDUE = "backup failed", "backup overdue"
OLDEST = timedelta(hours=26)
"""A backup is made each day; one that is older than this is overdue."""

_NAME = re.compile(r"memoryserver-(\d{8}T\d{6}Z)\.backup")


def folder() -> Path:
    """Return the folder of these backups. Raises BackupError if none is set."""
    if not settings.BACKUP_DIR:
        raise BackupError("name a file, or set MEMORYSERVER_BACKUP_DIR to the folder of the nightly backups")
    return Path(settings.BACKUP_DIR).expanduser().resolve()


def newest() -> tuple[Path, datetime] | None:
    """Return the newest backup of the folder and when it was made; None if there is none. Raises BackupError."""
    backups = _backups(folder())
    if not backups:
        return None
    path = backups[-1]
    match = _NAME.fullmatch(path.name)
    assert match is not None
    return path, datetime.strptime(match[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


def make(report: Report) -> tuple[Path, Manifest]:
    """Make a backup in the folder, read it back, and delete those beyond the number to keep. Returns it.

    A failure raises an alert, which the next success ends, and BackupError; no older backup is then deleted.
    """
    target = folder()
    try:
        path, manifest = _make(target, report)
    except BackupError as error:
        alerts.begin(FAILED, f"a backup failed: {error}", about=[HEARTBEAT])
        raise
    Heartbeat.objects.update_or_create(name=HEARTBEAT, defaults={"beat_at": timezone.now()})
    alerts.end(FAILED)
    alerts.end(OVERDUE)
    return path, manifest


def start() -> int:
    """Start a process that makes a backup, and return its id; 0 if no folder is set.

    It may take longer than a job may, and must not keep others waiting.
    """
    if not settings.BACKUP_DIR:
        return 0
    return subprocess.Popen(manage_command("backup"), stdin=subprocess.DEVNULL, start_new_session=True).pid


def check_overdue() -> None:
    """Raise an alert while the newest backup is too old: the process that makes them may have been killed."""
    if not settings.BACKUP_DIR:
        alerts.end(OVERDUE)
        return
    beat, _ = Heartbeat.objects.get_or_create(name=HEARTBEAT, defaults={"beat_at": timezone.now()})
    if timezone.now() - beat.beat_at > OLDEST:
        message = f"no backup was completed since {beat.beat_at:%Y-%m-%d %H:%M} UTC; try: manage.py backup"
        alerts.begin(OVERDUE, message, about=[HEARTBEAT])
    else:
        alerts.end(OVERDUE)


def _make(target: Path, report: Report) -> tuple[Path, Manifest]:
    try:
        target.mkdir(mode=0o700, exist_ok=True)  # not its parents: a disk that is not mounted is an error
        with lock(target / ".lock", timeout=0):
            _remove_leftovers(target)
            path = target / f"memoryserver-{datetime.now(UTC):%Y%m%dT%H%M%SZ}{archive.SUFFIX}"
            dumping.make(path, report)
            manifest = archive.check(path, archive.silent)
            for old in _backups(target)[: -settings.BACKUP_KEEP]:
                old.unlink()
    except LockTimeoutError as error:
        raise BackupError(f"another backup is being written to {target}; wait until it has ended") from error
    except OSError as error:
        raise BackupError(f"{target} cannot be used for backups: {error.strerror or error}") from error
    return path, manifest


def _backups(target: Path) -> list[Path]:
    """Return the backups, the oldest first; other files in the folder are left alone."""
    return sorted(path for path in target.glob(f"memoryserver-*{archive.SUFFIX}") if _NAME.fullmatch(path.name))


def _remove_leftovers(target: Path) -> None:
    """Remove what a backup that was killed left behind; the lock is held, so no other is being written."""
    for path in target.glob(f".memoryserver-*{archive.SUFFIX}.*{TEMPORARY_SUFFIX}"):
        path.unlink(missing_ok=True)
