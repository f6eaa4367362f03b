"""Dates and times as all pages write them."""

from __future__ import annotations

from datetime import datetime

from django.utils.formats import localize


def test_dates_and_times_are_written_as_on_pages() -> None:
    moment = datetime(2026, 11, 9, 5, 7, 30)
    written = [localize(moment), localize(moment.date()), localize(moment.time())]
    assert written == ["2026-11-09 05:07", "2026-11-09", "05:07"]
