"""States of missing transcripts are deleted after thirty days, and nothing is queued twice without them."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from capture.local.scanning import pruning
from capture.local.scanning.pruning import GONE_FILE
from capture.local.scanning.scanner import Scanner
from tests.support.laptops.capture_laptop import TEN, Laptop

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def scan(laptop: Laptop, day: float) -> None:
    Scanner(laptop.home, now=lambda: START + timedelta(days=day)).scan([laptop.root])


def contexts(laptop: Laptop) -> int:
    return len(laptop.states.all())


def test_a_state_is_taken_away_when_its_transcript_was_missing_for_thirty_days(captured: Laptop):
    captured.transcript.path.unlink()
    for day, left in ((0, 1), (28.9, 1), (29.9, 1), (30.9, 0)):
        scan(captured, day)
        assert contexts(captured) == left, day


def test_days_count_from_when_it_was_first_missing_and_not_from_its_last_capture(captured: Laptop):
    scan(captured, 100)
    captured.transcript.path.unlink()
    scan(captured, 129)
    scan(captured, 158.9)
    assert contexts(captured) == 1
    scan(captured, 160)
    assert contexts(captured) == 0


def test_a_transcript_that_comes_back_is_not_missing_any_more(captured: Laptop):
    aside = captured.root.with_name("aside")
    os.replace(captured.transcript.path, aside)
    scan(captured, 0)
    os.replace(aside, captured.transcript.path)
    scan(captured, 20)
    os.replace(captured.transcript.path, aside)
    scan(captured, 31)
    scan(captured, 60)
    assert contexts(captured) == 1


def test_after_the_state_is_gone_what_was_queued_is_still_known(captured: Laptop):
    content = captured.transcript.path.read_bytes()
    captured.transcript.path.unlink()
    scan(captured, 0)
    scan(captured, 31)
    captured.transcript.raw(content)
    report = captured.scan()
    assert (report.messages, report.known, captured.queued()) == (10, 10, TEN)


def test_a_transcript_below_a_root_that_is_not_scanned_is_not_missing(captured: Laptop):
    other = captured.root.with_name("other")
    other.mkdir()
    for day in (0, 40, 80):
        Scanner(captured.home, now=lambda day=day: START + timedelta(days=day)).scan([other])  # type: ignore[misc]
    assert contexts(captured) == 1


def test_a_clock_that_goes_back_only_makes_it_later(captured: Laptop):
    captured.transcript.path.unlink()
    scan(captured, 100)
    scan(captured, 0)
    scan(captured, 29)
    assert contexts(captured) == 1
    scan(captured, 31)
    assert contexts(captured) == 0


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"gone": 3, "looked_up": 7}', b'{"gone": {"x": "y"}}'])
def test_a_corrupt_list_of_the_missing_begins_empty(captured: Laptop, content: bytes):
    captured.transcript.path.unlink()
    scan(captured, 0)
    (captured.states.folder / GONE_FILE).write_bytes(content)
    scan(captured, 40)
    assert contexts(captured) == 1
    scan(captured, 71)
    assert contexts(captured) == 0


def test_what_is_missing_is_looked_up_once_a_day(captured: Laptop):
    captured.transcript.path.unlink()
    assert pruning.prune(captured.states, [], START) == []
    written = (captured.states.folder / GONE_FILE).stat().st_mtime_ns
    pruning.prune(captured.states, [], START + timedelta(hours=23))
    assert (captured.states.folder / GONE_FILE).stat().st_mtime_ns == written
    (name,) = captured.states.context_ids()
    assert pruning.prune(captured.states, [], START + timedelta(days=30)) == [name]


def test_corrupt_state_is_kept_for_thirty_days(captured: Laptop):
    path = captured.states.folder / f"{captured.states.context_ids()[0]}.json"
    path.write_text("{")
    scan(captured, 0)
    (aside,) = captured.states.damaged()
    os.utime(aside, (START.timestamp(), START.timestamp()))
    for day, left in ((29, [aside]), (31, [])):
        scan(captured, day)
        assert captured.states.damaged() == left, day
