"""Admin of heartbeats, alerts and schedules."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django_q.admin import ScheduleAdmin
from django_q.models import Schedule

from memoryserver.admin.read_only import ReadOnly
from memoryserver.ops import alerts
from memoryserver.ops.models import Alert, Heartbeat, Notification


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnly, admin.ModelAdmin[Heartbeat]):
    """Heartbeats of the server's parts."""

    list_display = ["name", "beat_at"]


class NotificationInline(ReadOnly, admin.TabularInline[Notification, Alert]):
    """Notifications sent about an alert."""

    model = Notification
    fields = ["event", "channel", "made_at", "due_at", "attempts", "sent_at", "error"]


@admin.register(Alert)
class AlertAdmin(admin.ModelAdmin[Alert]):
    """Open and ended alerts."""

    list_display = ["message", "began_at", "last_seen_at", "times", "notified_at", "ended_at"]
    list_filter = [("ended_at", admin.EmptyFieldListFilter)]
    search_fields = ["key", "message"]
    date_hierarchy = "began_at"
    inlines = [NotificationInline]
    readonly_fields = ["key", "message", "about", "began_at", "last_seen_at", "times", "notified_at", "ended_at"]
    actions = ["end"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: only the server raises alerts."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Alert | None = None) -> bool:
        """Return False: alerts are evidence; they are ended by an action."""
        return False

    @admin.action(description="End selected alerts")
    def end(self, request: HttpRequest, selected: QuerySet[Alert]) -> None:
        """End the selected alerts; they are raised again if the problem is found again."""
        messages.success(request, f"{sum(alerts.end(alert.key) for alert in selected)} ended")


class ReadOnlyScheduleAdmin(ScheduleAdmin):  # type: ignore[misc]
    """Schedules: the next run can be changed, and `repeats` 0 pauses one; everything else comes from the settings.

    A schedule whose arguments cannot be parsed blocks all others, so they cannot be edited.
    """

    readonly_fields = (
        "name", "func", "hook", "args", "kwargs", "schedule_type", "minutes", "cron", "cluster", "task",
        "intended_date_kwarg",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: schedules are defined in the settings."""
        return False


admin.site.unregister(Schedule)
admin.site.register(Schedule, ReadOnlyScheduleAdmin)
