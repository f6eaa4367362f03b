from __future__ import annotations

import time
from argparse import ArgumentTypeError

import pytest

from memorycli.arguments.times import moment


@pytest.mark.parametrize(("text", "expected"), [("0", 0), ("-5", -5), ("1764158400000", 1764158400000)])
def test_number_is_taken_as_milliseconds(text: str, expected: int) -> None:
    assert moment(text) == expected


def test_time_with_a_zone_is_converted() -> None:
    assert moment("2025-11-26T12:00:00Z") == moment("2025-11-26T13:00:00+01:00") == 1764158400000


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("30m", 1800), ("2h", 7200), ("7d", 604_800)])
def test_age_is_counted_back_from_now(text: str, seconds: int) -> None:
    now = time.time() * 1000

    assert moment(text) == pytest.approx(now - seconds * 1000, abs=2000)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-27", "5x", "9" * 400 + "d"])
def test_anything_else_is_refused_and_the_forms_are_named(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is not a time; give Unix milliseconds, a time like"):
        moment(text)
