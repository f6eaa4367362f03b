"""Admin of trajectories: calls and findings are read-only, configurations get new versions."""

from __future__ import annotations

import json

from django.contrib import admin
from django.db.models import Max
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.html import format_html

from memoryserver.accounts.models import User
from memoryserver.admin.read_only import ReadOnly
from trajectory import configs
from trajectory.models import AssessmentRecord, ObserverConfig, ToolCall, Trajectory


@admin.register(Trajectory)
class TrajectoryAdmin(ReadOnly, admin.ModelAdmin[Trajectory]):
    """Sessions with the worst open finding of each."""

    agent_session_field = "session_id"
    list_display = ["session_id", "agent_id", "user", "project", "calls_made", "worst_open", "last_call_at", "end"]
    list_filter = ["worst", ("ended_at", admin.EmptyFieldListFilter), "project"]
    list_select_related = ["user", "project"]
    search_fields = ["session_id", "title", "branch", "user__username"]
    date_hierarchy = "last_call_at"
    exclude = ["memory"]


@admin.register(ToolCall)
class ToolCallAdmin(ReadOnly, admin.ModelAdmin[ToolCall]):
    """Single calls."""

    agent_session_field = "session_id"
    list_display = ["call_index", "tool_name", "outcome", "session_id", "agent_id", "user", "made_at", "reported_at"]
    list_filter = ["outcome", "tool_name", "project"]
    list_select_related = ["user"]
    search_fields = ["session_id", "tool_name"]
    date_hierarchy = "made_at"
    exclude = ["body"]
    readonly_fields = ["reported_at", "pretty_body"]

    @admin.display(description="record")
    def pretty_body(self, row: ToolCall) -> str:
        """Return the record as indented JSON."""
        return format_html("<pre>{}</pre>", json.dumps(row.body, indent=2, ensure_ascii=False))


@admin.register(AssessmentRecord)
class AssessmentRecordAdmin(ReadOnly, admin.ModelAdmin[AssessmentRecord]):
    """Open and ended findings."""

    list_display = ["observer", "severity", "summary", "trajectory", "began_at_call", "told_at_call", "ended"]
    list_filter = ["severity", ("ended_at_call", admin.EmptyFieldListFilter), "observer", "project"]
    list_select_related = ["trajectory"]
    search_fields = ["trajectory__session_id", "summary"]
    date_hierarchy = "began_at"

    @admin.display
    def ended(self, row: AssessmentRecord) -> str:
        """Return the call at which it ended, or that it ended with the session; "" while it is open."""
        if row.is_open:
            return ""
        return "with the session" if row.outlasted_session else f"at #{row.last_call}"


@admin.register(ObserverConfig)
class ObserverConfigAdmin(admin.ModelAdmin[ObserverConfig]):
    """Observer configurations. Saving a change adds the next version; earlier ones are kept."""

    list_display = ["__str__", "version", "made_by", "made_at"]
    list_filter = ["team", "project"]
    list_select_related = ["user", "team", "project", "made_by"]
    search_fields = ["user__username", "team__name", "project__key", "made_by__username"]
    date_hierarchy = "made_at"
    readonly_fields = ["version", "made_by", "made_at"]

    def has_delete_permission(self, request: HttpRequest, obj: ObserverConfig | None = None) -> bool:
        """Return False: an empty configuration has the same effect and is recorded."""
        return False

    def save_model(
        self, request: HttpRequest, obj: ObserverConfig, form: ModelForm[ObserverConfig], change: bool
    ) -> None:
        """Save the edited configuration as the next version of its scope."""
        versions = ObserverConfig.objects.filter(user=obj.user, team=obj.team, project=obj.project)
        obj.pk = None
        obj._state.adding = True
        obj.version = (versions.aggregate(newest=Max("version"))["newest"] or 0) + 1
        obj.made_by = request.user if isinstance(request.user, User) else None
        obj.save()
        configs.record(obj)
