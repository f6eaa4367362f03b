"""Admin of capture."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from capture import sink
from capture.models import Capture, CaptureState, Learning, LearningSource


class LearningSourceInline(admin.TabularInline[LearningSource, Learning]):
    """Where a learning was met."""

    model = LearningSource
    extra = 0
    can_delete = False
    readonly_fields = ["capture", "message_index", "message_uuid"]

    def has_add_permission(self, request: HttpRequest, obj: Learning | None = None) -> bool:
        """Capture alone adds them."""
        return False


@admin.register(Learning)
class LearningAdmin(admin.ModelAdmin[Learning]):
    """Learnings; hiding one takes it out of every search, for good."""

    list_display = ["type", "content", "confidence", "seen_count", "hidden", "user", "project", "last_seen"]
    list_filter = ["type", "hidden", "project"]
    list_select_related = ["user", "project"]
    search_fields = ["content"]
    date_hierarchy = "last_seen"
    inlines = [LearningSourceInline]
    readonly_fields = [
        "user",
        "project",
        "type",
        "content",
        "confidence",
        "reasons",
        "files",
        "tools",
        "seen_count",
        "first_seen",
        "last_seen",
        "hidden",
        "embed_attempts",
        "embed_after",
        "embed_error",
    ]
    actions = ["hide", "show"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Capture alone adds them."""
        return False

    @admin.action(description="Hide from every search")
    def hide(self, request: HttpRequest, selected: QuerySet[Learning]) -> None:
        """Hidden ones stay hidden when they are captured again."""
        messages.success(request, f"{sink.set_hidden(selected, hidden=True)} hidden")

    @admin.action(description="Show again")
    def show(self, request: HttpRequest, selected: QuerySet[Learning]) -> None:
        """Back into search."""
        messages.success(request, f"{sink.set_hidden(selected, hidden=False)} shown again")


@admin.register(CaptureState)
class CaptureStateAdmin(admin.ModelAdmin[CaptureState]):
    """How far each transcript has been delivered."""

    list_display = [
        "context_id",
        "agent_kind",
        "user",
        "project",
        "last_message_index",
        "compaction_count",
        "last_captured_at",
    ]
    list_filter = ["agent_kind", "project"]
    list_select_related = ["user", "project"]
    search_fields = ["context_id", "transcript"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Capture alone adds them."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: CaptureState | None = None) -> bool:
        """To read."""
        return False


@admin.register(Capture)
class CaptureAdmin(admin.ModelAdmin[Capture]):
    """Delivered queue files."""

    list_display = ["capture_id", "state", "first_message_index", "last_message_index", "received_at"]
    list_select_related = ["state"]
    search_fields = ["capture_id", "state__context_id"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Capture alone adds them."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Capture | None = None) -> bool:
        """To read."""
        return False
