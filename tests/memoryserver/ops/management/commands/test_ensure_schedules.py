from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django_q.models import Schedule

pytestmark = pytest.mark.django_db


def test_command_creates_the_schedules_of_the_settings_once(settings: Any) -> None:
    settings.JOB_SCHEDULES = [("often", "some.job", 5), ("nightly", "other.job", "30 2 * * *")]
    out = StringIO()

    for _ in range(2):
        call_command("ensure_schedules", stdout=out)

    assert sorted(Schedule.objects.values_list("name", "func")) == [("nightly", "other.job"), ("often", "some.job")]
    assert out.getvalue() == ""


def test_schedule_with_an_invalid_time_creates_none_of_them(settings: Any) -> None:
    settings.JOB_SCHEDULES = [("often", "some.job", 5), ("nightly", "other.job", "thirty past two")]

    with pytest.raises(ValueError, match="columns"):
        call_command("ensure_schedules")

    assert Schedule.objects.count() == 0
