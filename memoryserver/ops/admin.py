"""Admin of the operation."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from django_q.admin import ScheduleAdmin
from django_q.models import Schedule

from memoryserver.ops.models import Heartbeat


@admin.register(Heartbeat)
class HeartbeatAdmin(admin.ModelAdmin[Heartbeat]):
    """What lives."""

    list_display = ["name", "beat_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """The parts themselves add theirs."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Heartbeat | None = None) -> bool:
        """To read."""
        return False


class KeptScheduleAdmin(ScheduleAdmin):  # type: ignore[misc]
    """Schedules: when one runs next can be changed, and `repeats` set to 0 pauses it; the rest is the settings'.

    One schedule whose arguments cannot be read keeps all others from running, so nobody writes them by hand.
    """

    readonly_fields = (
        "name", "func", "hook", "args", "kwargs", "schedule_type", "minutes", "cron", "cluster", "task",
        "intended_date_kwarg",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        """The settings name them all."""
        return False


admin.site.unregister(Schedule)
admin.site.register(Schedule, KeptScheduleAdmin)
