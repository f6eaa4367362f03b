"""A lasting trouble is alerted once, and once when it is over; whatever happens to the file that stores it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from capture.local.queue.alerts import Alerts
from tests.capture.local.queue.test_processor import Clock


class Recorder:
    """Creates Alerts over one file, and records their messages."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = Clock()
        self.alerts: list[str] = []
        self.recovered: list[str] = []

    def __call__(self) -> Alerts:
        """Return new Alerts each time, as after a restart."""
        return Alerts(self.path, alert=self.alerts.append, recovered=self.recovered.append, now=self.clock)


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "state" / ".alerts.json")


def test_trouble_is_alerted_at_once_and_not_again(recorder: Recorder):
    for _ in range(3):
        recorder().report("disk", "the disk is full")
        recorder.clock.time += 100
    assert recorder.alerts == ["the disk is full"]
    assert list(recorder().alerted()) == ["disk"]


def test_trouble_that_may_be_temporary_is_alerted_after_a_while_with_its_last_message(recorder: Recorder):
    for seconds in range(0, 121, 30):
        recorder().report("server", f"down for {seconds} s", lasting=100)
        recorder.clock.time += 30
    assert recorder.alerts == ["down for 120 s"]


def test_recovery_is_reported_if_the_trouble_was_and_a_new_one_is_alerted_again(recorder: Recorder):
    recorder().report("server", "down", lasting=100)
    recorder().clear("server")
    assert (recorder.alerts, recorder.recovered) == ([], [])
    recorder().report("server", "down")
    recorder.clock.time += 600
    recorder().clear("server")
    recorder().clear("server")
    assert recorder.recovered == ["over after 10 min: down"]
    recorder().report("server", "down again")
    assert recorder.alerts == ["down", "down again"]


def test_troubles_with_the_prefix_that_are_not_listed_are_over(recorder: Recorder):
    for name in ("a:1", "a:2", "b:1"):
        recorder().report(name, name)
    recorder().clear_others("a:", {"a:2"})
    assert (recorder.recovered, sorted(recorder().alerted())) == (["over after 0 min: a:1"], ["a:2", "b:1"])


def test_clock_set_back_starts_the_time_over_and_never_alerts_too_early(recorder: Recorder):
    recorder().report("server", "down", lasting=100)
    recorder.clock.time -= 1_000_000
    recorder().report("server", "down", lasting=100)
    recorder.clock.time += 99
    recorder().report("server", "down", lasting=100)
    assert recorder.alerts == []
    recorder.clock.time += 1
    recorder().report("server", "down", lasting=100)
    assert recorder.alerts == ["down"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"a": 1}', b'{"a": {"since": "x", "text": "", "told": true}}', b"\xff", b"[" * 99_999],
)
def test_unusable_file_leads_to_at_most_a_second_alert(recorder: Recorder, content: bytes):
    recorder.path.parent.mkdir()
    recorder.path.write_bytes(content)
    recorder().report("a", "trouble")
    recorder().report("a", "trouble")
    assert recorder.alerts == ["trouble"]
    assert json.loads(recorder.path.read_bytes())["a"]["told"] is True


def test_process_that_cannot_save_still_alerts_once(recorder: Recorder):
    recorder.path.parent.write_text("a file in place of the folder")
    alerts = recorder()
    alerts.report("disk", "full")
    alerts.report("disk", "full")
    alerts.clear("disk")
    assert (recorder.alerts, recorder.recovered) == (["full"], ["over after 0 min: full"])


def test_alert_that_fails_is_logged_and_not_raised(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    def fail(_: str) -> None:
        raise RuntimeError("no desktop")

    alerts = Alerts(tmp_path / "a.json", alert=fail)
    alerts.report("a", "trouble")
    alerts.report("a", "trouble")
    assert [record.getMessage() for record in caplog.records] == ["could not send the alert: trouble"]


def test_very_long_text_is_shortened(recorder: Recorder):
    recorder().report("a", "x" * 100_000)
    assert len(recorder.alerts[0]) == 1000
