"""Admin of the operation."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

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
