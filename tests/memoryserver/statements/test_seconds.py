"""The seconds of an interval are those that Python has for it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import DurationField, Value

from memoryserver.accounts.models import User
from memoryserver.statements.seconds import Seconds


@pytest.mark.parametrize("days", [-400.5, 0.0, 1 / 86_400_000, 3_650.25])
def test_seconds_are_those_of_the_duration(days: float, alice: User) -> None:
    duration = timedelta(days=days)

    (seconds,) = User.objects.values_list(Seconds(Value(duration, output_field=DurationField())), flat=True)

    assert seconds == duration.total_seconds()
