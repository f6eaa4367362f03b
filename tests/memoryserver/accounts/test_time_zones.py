"""The zones that a person may choose, and what is used where there is none."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from memoryserver.accounts.models import User
from memoryserver.accounts.time_zones import names, zone_of


def test_places_may_be_chosen_and_no_abbreviations() -> None:
    assert names()[0] == "UTC"
    assert {"Europe/Berlin", "Asia/Kolkata", "America/Argentina/Buenos_Aires"} <= set(names())
    assert not {"EST", "Etc/GMT+5", "US/Pacific", "localtime", "posixrules"} & set(names())


@pytest.mark.parametrize(
    ("name", "zone"), [("Asia/Kolkata", ZoneInfo("Asia/Kolkata")), ("", UTC), ("Mars/Olympus", UTC), ("../passwd", UTC)]
)
def test_zone_is_the_chosen_one_or_utc(name: str, zone: object) -> None:
    assert zone_of(User(time_zone=name)) == zone
