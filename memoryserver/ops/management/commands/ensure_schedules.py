"""`manage.py ensure_schedules`: create the job schedules of the settings."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from memoryserver.ops.schedules import ensure_schedules


class Command(BaseCommand):
    """Part of every deployment, after `migrate`."""

    help = "Create or update the job schedules of the settings. Idempotent."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Create or update the schedules."""
        ensure_schedules()
