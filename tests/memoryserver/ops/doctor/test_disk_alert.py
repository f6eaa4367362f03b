"""A disk with little room is an alert until it has room again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from memoryserver.ops import watch
from memoryserver.ops.alerting import alerts
from tests.memoryserver.ops.doctor.test_machine import Usage

pytestmark = pytest.mark.django_db


def test_disk_without_room_is_one_alert_until_it_has_room(
    monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR, settings.BACKUP_DIR, settings.JOB_SCHEDULES = tmp_path, "", []
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(8e9, 7.5e9, 0.5e9))
    watch.run_checks()
    watch.run_checks()

    (alert,) = alerts.open_alerts()
    assert (alert.key, alert.times) == ("disk", 2)
    assert alert.message.startswith(f"the disk of {tmp_path} has ")
    assert f"To fix: see what is large: du -sh {tmp_path}/*" in alert.message

    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(8e9, 4e9, 4e9))
    watch.run_checks()

    assert list(alerts.open_alerts()) == []
