"""`manage.py ensure_schedules`: make the job schedules of the settings."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from memoryserver.ops.schedules import ensure_schedules


class Command(BaseCommand):
    """Part of every deployment, after `migrate`."""

    help = "Make the job schedules that the settings name. Running it again changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        """Make them."""
        ensure_schedules()
