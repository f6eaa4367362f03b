"""The judge's days in the admin."""

from __future__ import annotations

from datetime import date

from django.test import Client
from django.urls import reverse

from capture.judge.models import JudgeDay


def test_days_are_listed_with_what_was_used_and_narrowed_by_date(db: None, admin_client: Client) -> None:
    JudgeDay.objects.create(day=date(2026, 10, 1), calls=1)
    row = JudgeDay.objects.create(day=date(2026, 11, 2), calls=7, candidates=30)

    page = admin_client.get(reverse("admin:judge_judgeday_changelist"), {"day__month": "11"})

    assert [*page.context["cl"].result_list] == [row]
