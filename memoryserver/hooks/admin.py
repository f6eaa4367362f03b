"""Admin of the sessions of agents that post hook events."""

from __future__ import annotations

from django.contrib import admin

from memoryserver.admin.read_only import ReadOnly
from memoryserver.hooks.models import HookSession


@admin.register(HookSession)
class HookSessionAdmin(ReadOnly, admin.ModelAdmin[HookSession]):
    """Sessions of agents whose hooks post to the server."""

    agent_session_field = "session_id"
    list_display = ["session_id", "agent_id", "user", "project", "root", "began_at", "last_event_at"]
    list_filter = ["project"]
    list_select_related = ["user", "project"]
    search_fields = ["session_id", "root", "user__username"]
    date_hierarchy = "last_event_at"
    exclude = ["memory"]
