"""The lock and the heartbeat of the capture daemon."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.scanning.state import DAEMON_FILE
from capture.local.service import heartbeat
from capture.local.service.heartbeat import AlreadyRunningError, Heartbeat

BEAT = Heartbeat(12, "2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z", "no space", 3)


def test_heartbeat_is_read_as_written(tmp_path: Path):
    heartbeat.write(tmp_path, BEAT)
    assert heartbeat.read(tmp_path) == BEAT


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"pid": "x"}'])
def test_unreadable_heartbeat_is_none(tmp_path: Path, content: str):
    heartbeat.write(tmp_path, BEAT)
    (tmp_path / heartbeat.STATE_FOLDER / DAEMON_FILE).write_text(content)
    assert heartbeat.read(tmp_path) is None


def test_heartbeat_is_running_only_while_its_lock_is_held(tmp_path: Path):
    assert heartbeat.running(tmp_path) is None
    with heartbeat.daemon_lock(tmp_path):
        assert heartbeat.running(tmp_path) == Heartbeat(pid=0, started="")
        heartbeat.write(tmp_path, BEAT)
        assert heartbeat.running(tmp_path) == BEAT
    assert heartbeat.running(tmp_path) is None


def test_second_daemon_is_refused_and_names_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(heartbeat, "_LOCK_TIMEOUT", 0.01)
    with heartbeat.daemon_lock(tmp_path):
        heartbeat.write(tmp_path, BEAT)
        named = pytest.raises(AlreadyRunningError, match=r"already running \(process 12, since 2026-03-01T09:00:00Z\)")
        with named, heartbeat.daemon_lock(tmp_path):
            pass


def test_lock_is_released_after_an_error_in_the_block(tmp_path: Path):
    with pytest.raises(KeyError), heartbeat.daemon_lock(tmp_path):
        raise KeyError
    with heartbeat.daemon_lock(tmp_path):
        pass
