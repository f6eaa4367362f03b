"""What lasts is told once, and told to be over; whatever happens to the file that remembers it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from capture.local.queue.alerts import Alerts
from tests.capture.local.queue.test_processor import Clock


class Told:
    """Alerts over a file, and what was said."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = Clock()
        self.alerts: list[str] = []
        self.over: list[str] = []

    def __call__(self) -> Alerts:
        """New ones each time, as after a restart."""
        return Alerts(self.path, alert=self.alerts.append, recovered=self.over.append, now=self.clock)


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path / "state" / ".alerts.json")


def test_a_trouble_is_told_at_once_and_not_again(told: Told):
    for _ in range(3):
        told().report("disk", "the disk is full")
        told.clock.time += 100
    assert told.alerts == ["the disk is full"]
    assert list(told().standing()) == ["disk"]


def test_one_that_may_pass_by_itself_is_told_when_it_has_lasted_with_what_was_said_last(told: Told):
    for passed in range(0, 121, 30):
        told().report("server", f"down for {passed} s", lasting=100)
        told.clock.time += 30
    assert told.alerts == ["down for 120 s"]


def test_its_end_is_told_if_it_was_and_then_it_may_come_again(told: Told):
    told().report("server", "down", lasting=100)
    told().clear("server")
    assert (told.alerts, told.over) == ([], [])
    told().report("server", "down")
    told.clock.time += 600
    told().clear("server")
    told().clear("server")
    assert told.over == ["over after 10 min: down"]
    told().report("server", "down again")
    assert told.alerts == ["down", "down again"]


def test_those_of_a_kind_that_are_not_named_are_over(told: Told):
    for name in ("a:1", "a:2", "b:1"):
        told().report(name, name)
    told().clear_others("a:", {"a:2"})
    assert (told.over, sorted(told().standing())) == (["over after 0 min: a:1"], ["a:2", "b:1"])


def test_a_clock_turned_back_begins_the_time_anew_and_never_alerts_too_early(told: Told):
    told().report("server", "down", lasting=100)
    told.clock.time -= 1_000_000
    told().report("server", "down", lasting=100)
    told.clock.time += 99
    told().report("server", "down", lasting=100)
    assert told.alerts == []
    told.clock.time += 1
    told().report("server", "down", lasting=100)
    assert told.alerts == ["down"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"a": 1}', b'{"a": {"since": "x", "text": "", "told": true}}', b"\xff", b"[" * 99_999],
)
def test_a_file_that_cannot_be_used_costs_at_most_a_second_telling(told: Told, content: bytes):
    told.path.parent.mkdir()
    told.path.write_bytes(content)
    told().report("a", "trouble")
    told().report("a", "trouble")
    assert told.alerts == ["trouble"]
    assert json.loads(told.path.read_bytes())["a"]["told"] is True


def test_where_nothing_can_be_kept_a_process_still_tells_once(told: Told):
    told.path.parent.write_text("a file in place of the folder")
    alerts = told()
    alerts.report("disk", "full")
    alerts.report("disk", "full")
    alerts.clear("disk")
    assert (told.alerts, told.over) == (["full"], ["over after 0 min: full"])


def test_a_way_of_telling_that_fails_is_logged_and_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    def fail(_: str) -> None:
        raise RuntimeError("no desktop")

    alerts = Alerts(tmp_path / "a.json", alert=fail)
    alerts.report("a", "trouble")
    alerts.report("a", "trouble")
    assert [one.getMessage() for one in caplog.records] == ["could not be told: trouble"]


def test_a_very_long_text_is_kept_short(told: Told):
    told().report("a", "x" * 100_000)
    assert len(told.alerts[0]) == 1000
