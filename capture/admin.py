"""Admin of capture."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from capture import curation, failures
from capture.belief import explanation, rules
from capture.models import (
    Capture,
    CaptureFailure,
    CaptureState,
    Compaction,
    Contradiction,
    Learning,
    LearningChange,
    LearningSource,
    LearningUsage,
)
from memoryserver.accounts.models import User
from memoryserver.admin.read_only import ReadOnly
from memoryserver.admin_actions.confirmed import asking_first


class LearningSourceInline(ReadOnly, admin.TabularInline[LearningSource, Learning]):
    """The messages a learning was extracted from."""

    model = LearningSource
    readonly_fields = ["capture", "message_index", "message_uuid", "message_time"]


class LearningUsageInline(ReadOnly, admin.TabularInline[LearningUsage, Learning]):
    """How often it was used."""

    model = LearningUsage
    readonly_fields = ["shown", "returned", "opened", "quoted"]


class LearningChangeInline(ReadOnly, admin.TabularInline[LearningChange, Learning]):
    """Changes made by people."""

    model = LearningChange
    readonly_fields = ["what", "before", "made_by", "made_at"]


@admin.register(Learning)
class LearningAdmin(admin.ModelAdmin[Learning]):
    """Learnings. Hidden ones are excluded from every search. Owners edit them on the pages."""

    list_display = [
        "type",
        "content",
        "source",
        "confidence",
        "is_report",
        "provisional",
        "seen_count",
        "pinned",
        "hidden",
        "user",
        "project",
        "last_seen",
    ]
    list_filter = ["type", "source", "is_report", "pinned", "hidden", "project"]
    list_select_related = ["user", "project"]
    search_fields = ["content"]
    date_hierarchy = "last_seen"
    inlines = [LearningUsageInline, LearningChangeInline, LearningSourceInline]
    readonly_fields = [
        "user",
        "project",
        "type",
        "content",
        "source",
        "confidence",
        "is_report",
        "in_context",
        "reasons",
        "files",
        "tools",
        "seen_count",
        "first_seen",
        "last_seen",
        "by_hand_at",
        "by_hand_session",
        "by_hand_by",
        "pinned",
        "hidden",
        "merged_into",
        "distinct_from",
        "embed_attempts",
        "embed_after",
        "embed_error",
    ]
    actions = ["pin", "unpin", "hide", "show"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Learning]:
        """Return the learnings with their judgements."""
        return rules.judged(super().get_queryset(request))

    @admin.display(boolean=True)
    def provisional(self, learning: Learning) -> bool:
        """Return whether the session that the learning comes from still runs."""
        return rules.judgement(learning).provisional

    @admin.display(description="in contexts")
    def in_context(self, learning: Learning) -> str:
        """Return why the learning may enter a session's context or not."""
        return explanation.explain(learning, rules.judgement(learning))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: only capture adds rows."""
        return False

    def delete_model(self, request: HttpRequest, obj: Learning) -> None:
        """Delete the learning and everything derived from it; it is not captured again."""
        curation.delete_all([obj], _acting_user(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Learning]) -> None:
        """Delete the selected learnings as `delete_model` does."""
        curation.delete_all(queryset.select_related("user", "project"), _acting_user(request))

    @asking_first("Pin", effect="They come first in what agents of these people are told.")
    def pin(self, request: HttpRequest, selected: QuerySet[Learning]) -> None:
        """Pin the selected learnings: they come first in the context of a session."""
        messages.success(request, f"{curation.set_pinned(selected, pinned=True, by=_acting_user(request))} pinned")

    @asking_first("Unpin", effect="They are told to agents as any other learning.")
    def unpin(self, request: HttpRequest, selected: QuerySet[Learning]) -> None:
        """Unpin the selected learnings."""
        messages.success(request, f"{curation.set_pinned(selected, pinned=False, by=_acting_user(request))} unpinned")

    @asking_first("Hide from every search", effect="Nobody's agents find them, also when they are captured again.")
    def hide(self, request: HttpRequest, selected: QuerySet[Learning]) -> None:
        """Hide the selected learnings; they stay hidden when captured again."""
        messages.success(request, f"{curation.set_hidden(selected, hidden=True, by=_acting_user(request))} hidden")

    @asking_first("Show again", effect="Searches and contexts have them again.")
    def show(self, request: HttpRequest, selected: QuerySet[Learning]) -> None:
        """Show the selected learnings in search again."""
        messages.success(
            request, f"{curation.set_hidden(selected, hidden=False, by=_acting_user(request))} shown again"
        )


def _acting_user(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


@admin.register(CaptureState)
class CaptureStateAdmin(ReadOnly, admin.ModelAdmin[CaptureState]):
    """How far each transcript has been delivered."""

    list_display = [
        "context_id",
        "agent_kind",
        "user",
        "project",
        "message_count",
        "learnings_delivered",
        "compaction_count",
        "last_activity_at",
    ]
    list_filter = ["agent_kind", "project"]
    list_select_related = ["user", "project"]
    search_fields = ["context_id", "transcript", "user__username"]
    date_hierarchy = "last_activity_at"


@admin.register(Capture)
class CaptureAdmin(ReadOnly, admin.ModelAdmin[Capture]):
    """Delivered queue files."""

    agent_session_field = "agent_session"
    list_display = ["capture_id", "state", "agent_session", "first_message_index", "last_message_index", "received_at"]
    list_select_related = ["state"]
    search_fields = ["capture_id", "agent_session", "state__context_id"]
    date_hierarchy = "received_at"


@admin.register(CaptureFailure)
class CaptureFailureAdmin(ReadOnly, admin.ModelAdmin[CaptureFailure]):
    """Queue files that were rejected."""

    list_display = ["reason", "user", "context_id", "times", "failed_at", "alerted_at", "resolved_at"]
    list_filter = [("resolved_at", admin.EmptyFieldListFilter), "user"]
    list_select_related = ["user"]
    search_fields = ["capture_id", "context_id", "reason"]
    date_hierarchy = "failed_at"
    actions = ["give_up"]

    @asking_first("Give up", effect="Their alerts end. The files stay on the laptops, which can send them again.")
    def give_up(self, request: HttpRequest, selected: QuerySet[CaptureFailure]) -> None:
        """Count the selected files as dealt with."""
        messages.success(request, f"{failures.give_up(selected)} given up")


@admin.register(Compaction)
class CompactionAdmin(ReadOnly, admin.ModelAdmin[Compaction]):
    """Compactions of agents' contexts."""

    list_display = ["context_id", "trigger", "number", "happened_at", "messages_before", "learnings_before", "user"]
    list_filter = ["trigger", "project"]
    list_select_related = ["user"]
    search_fields = ["context_id"]
    date_hierarchy = "happened_at"


@admin.register(Contradiction)
class ContradictionAdmin(ReadOnly, admin.ModelAdmin[Contradiction]):
    """Learnings that contradict each other, and what people decided; the page of contradictions decides."""

    list_display = ["earlier", "later", "reason", "found_at", "decision", "decided_by"]
    list_filter = ["reason", "decision", "later__project"]
    list_select_related = ["earlier", "later", "decided_by"]
    search_fields = ["earlier__content", "later__content"]
    date_hierarchy = "found_at"


@admin.register(LearningChange)
class LearningChangeAdmin(ReadOnly, admin.ModelAdmin[LearningChange]):
    """What people, merges and the judge made of learnings."""

    list_display = ["made_at", "what", "learning", "before", "made_by"]
    list_filter = ["what", "made_by"]
    list_select_related = ["learning", "made_by"]
    search_fields = ["learning__content", "before", "made_by__username"]
    date_hierarchy = "made_at"


@admin.register(LearningSource)
class LearningSourceAdmin(ReadOnly, admin.ModelAdmin[LearningSource]):
    """The messages that learnings come from."""

    list_display = ["learning", "capture", "message_index", "message_time"]
    list_select_related = ["learning", "capture"]
    search_fields = ["learning__content", "message_uuid", "capture__agent_session"]
    date_hierarchy = "message_time"
