"""Admin of heartbeats, alerts and schedules."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django_q.admin import FailAdmin, ScheduleAdmin, TaskAdmin, resubmit_task
from django_q.models import Failure, Schedule, Success

from memoryserver.admin.read_only import ReadOnly
from memoryserver.admin_actions.confirmed import asking_first
from memoryserver.ops.alerting import alerts
from memoryserver.ops.models import Alert, Heartbeat, Notification


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnly, admin.ModelAdmin[Heartbeat]):
    """Heartbeats of the server's parts."""

    list_display = ["name", "beat_at"]
    search_fields = ["name"]
    date_hierarchy = "beat_at"


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

    @asking_first("End selected alerts", effect="Each is raised again if its problem is found again.")
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


class JobSuccessAdmin(TaskAdmin):  # type: ignore[misc]
    """Jobs that ended well."""

    date_hierarchy = "stopped"
    actions = ["run_again"]

    @asking_first("Run again", effect="Each is put into the queue once more, with its arguments.")
    def run_again(self, request: HttpRequest, selected: QuerySet[Success]) -> None:
        """Put the selected jobs into the queue again."""
        _put_into_queue(self, request, selected)


class JobFailureAdmin(FailAdmin):  # type: ignore[misc]
    """Jobs that failed."""

    date_hierarchy = "stopped"
    actions = ["retry"]

    @asking_first("Retry", effect="Each is put into the queue once more, and leaves this list.")
    def retry(self, request: HttpRequest, selected: QuerySet[Failure]) -> None:
        """Put the selected jobs into the queue again."""
        _put_into_queue(self, request, selected)


def _put_into_queue(model_admin: TaskAdmin | FailAdmin, request: HttpRequest, selected: QuerySet[Any]) -> None:
    count = len(selected)
    resubmit_task(model_admin, request, selected)
    messages.success(request, f"{count} {'is' if count == 1 else 'are'} in the queue again")


for model, model_admin in ((Schedule, ReadOnlyScheduleAdmin), (Success, JobSuccessAdmin), (Failure, JobFailureAdmin)):
    admin.site.unregister(model)
    admin.site.register(model, model_admin)
