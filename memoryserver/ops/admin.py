"""Admin of the operation."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django_q.admin import ScheduleAdmin
from django_q.models import Schedule

from memoryserver.ops import alerts
from memoryserver.ops.models import Alert, Heartbeat, Notification


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


class NotificationInline(admin.TabularInline[Notification, Alert]):
    """What went out about an alert."""

    model = Notification
    extra = 0
    can_delete = False
    readonly_fields = ["event", "channel", "made_at", "due_at", "attempts", "sent_at", "error"]

    def has_add_permission(self, request: HttpRequest, obj: Alert | None = None) -> bool:
        """Alerts alone make them."""
        return False


@admin.register(Alert)
class AlertAdmin(admin.ModelAdmin[Alert]):
    """Trouble, that which stands and that which is over."""

    list_display = ["message", "began_at", "last_seen_at", "times", "told_at", "ended_at"]
    list_filter = [("ended_at", admin.EmptyFieldListFilter)]
    search_fields = ["key", "message"]
    date_hierarchy = "began_at"
    inlines = [NotificationInline]
    readonly_fields = ["key", "message", "about", "began_at", "last_seen_at", "times", "told_at", "ended_at"]
    actions = ["end"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever finds trouble adds it."""
        return False

    @admin.action(description="It is over")
    def end(self, request: HttpRequest, selected: QuerySet[Alert]) -> None:
        """Told as over; it begins anew if it is found again."""
        messages.success(request, f"{sum(alerts.end(alert.key) for alert in selected)} ended")


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
