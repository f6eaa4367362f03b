from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memoryserver.common.files import lock
from memoryserver.ops.alerting import alerts
from memoryserver.ops.backups import BackupError, archive, rotation
from memoryserver.ops.models import Heartbeat
from tests.support.database.restored_server import Target

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.BACKUP_DIR = str(tmp_path / "backups")
    settings.BACKUP_KEEP = 2
    return tmp_path / "backups"


def open_alerts() -> dict[str, str]:
    return {alert.key: alert.message for alert in alerts.open_alerts()}


def test_newest_backups_are_kept_and_other_files_left_alone(folder: Path) -> None:
    folder.mkdir()
    for day in (1, 2, 3):
        (folder / f"memoryserver-202601{day:02}T011500Z.backup").write_bytes(b"old")
    (folder / "memoryserver-before-the-move.backup").write_bytes(b"mine")
    (folder / ".memoryserver-20260104T011500Z.backup.77.tmp").write_bytes(b"left by a killed one")

    path, manifest = rotation.make(archive.silent)

    kept = {"memoryserver-20260103T011500Z.backup", "memoryserver-before-the-move.backup", path.name, ".lock"}
    assert {file.name for file in folder.iterdir()} == kept
    assert archive.check(path, archive.silent) == manifest
    found = rotation.newest()
    assert found is not None
    assert (found[0], datetime.now(UTC) - found[1] < timedelta(minutes=5)) == (path, True)


def test_failure_raises_one_alert_keeps_the_older_backups_and_success_ends_it(folder: Path) -> None:
    folder.mkdir()
    old = folder / "memoryserver-20260101T011500Z.backup"
    old.write_bytes(b"old")
    with lock(folder / ".lock"), pytest.raises(BackupError, match="another backup is being written"):
        rotation.make(archive.silent)
    assert list(open_alerts()) == [rotation.FAILED]
    assert old.exists()

    rotation.make(archive.silent)

    assert open_alerts() == {}
    assert Heartbeat.objects.filter(name=rotation.HEARTBEAT).exists()


def test_folder_whose_parent_is_missing_is_an_error(settings: Any, tmp_path: Path) -> None:
    settings.BACKUP_DIR = str(tmp_path / "not mounted" / "backups")

    with pytest.raises(BackupError, match="cannot be used for backups: No such file or directory"):
        rotation.make(archive.silent)


def test_without_a_folder_nothing_is_scheduled_and_the_command_says_how(settings: Any) -> None:
    settings.BACKUP_DIR = ""

    assert rotation.start() == 0
    with pytest.raises(BackupError, match="name a file, or set MEMORYSERVER_BACKUP_DIR"):
        rotation.folder()


@pytest.mark.parametrize("set_back", [timedelta(hours=25), timedelta(hours=27)])
def test_backup_that_is_overdue_raises_an_alert(folder: Path, set_back: timedelta) -> None:
    rotation.check_overdue()  # begins to count
    Heartbeat.objects.filter(name=rotation.HEARTBEAT).update(beat_at=timezone.now() - set_back)

    rotation.check_overdue()

    overdue = set_back > rotation.OLDEST
    assert list(open_alerts()) == ([rotation.OVERDUE] if overdue else [])


def test_alert_ends_where_backups_are_no_longer_scheduled(folder: Path, settings: Any) -> None:
    Heartbeat.objects.create(name=rotation.HEARTBEAT, beat_at=timezone.now() - timedelta(days=3))
    rotation.check_overdue()
    settings.BACKUP_DIR = ""

    rotation.check_overdue()

    assert open_alerts() == {}


def test_job_starts_a_process_that_makes_the_backup(copied_server: Target, tmp_path: Path) -> None:
    folder = tmp_path / "backups"

    started = copied_server.manage(
        "shell",
        "-c",
        "from memoryserver.ops import jobs; print('started', jobs.back_up())",
        MEMORYSERVER_BACKUP_DIR=str(folder),
    )

    assert re.search(r"(?m)^started [1-9]\d*$", started.stdout)
    _wait(lambda: copied_server.execute("SELECT 1 FROM ops_heartbeat WHERE name = 'backup'") != [])
    (path,) = folder.glob("memoryserver-*.backup")
    assert archive.check(path, archive.silent).rows["accounts_user"] == 0


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)
