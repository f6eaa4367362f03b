"""Admin of the journal; entries and clusters are read-only."""

from __future__ import annotations

import json
from typing import cast

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from ghap.models import Cluster, Clustering, ClusterMember, Entry, Failure, FailureMember, OpenEntry
from ghap.recurring import changes
from memoryserver.accounts.models import User
from memoryserver.admin.read_only import ReadOnly
from memoryserver.admin_actions.confirmed import asking_first


class FailureOfEntryInline(ReadOnly, admin.TabularInline[FailureMember, Entry]):
    """The failures that an entry is one of."""

    model = FailureMember
    verbose_name_plural = "recurring failures"
    fields = ["failure", "rank"]


@admin.register(Entry)
class EntryAdmin(ReadOnly, admin.ModelAdmin[Entry]):
    """Entries as sent by clients, with the state of their embedding."""

    agent_session_field = "agent_session"
    list_display = [
        "ghap_id",
        "goal",
        "domain",
        "strategy",
        "outcome_status",
        "confidence_tier",
        "quality_score",
        "user",
        "project",
        "captured_at",
    ]
    list_filter = ["outcome_status", "confidence_tier", "collector_tier", "domain", "strategy", "project"]
    list_select_related = ["user", "project"]
    search_fields = ["ghap_id", "session_id", "agent_session", "goal"]
    date_hierarchy = "captured_at"
    inlines = [FailureOfEntryInline]
    exclude = ["body"]
    readonly_fields = ["pretty_body", "embed_attempts", "embed_after", "embed_error"]

    @admin.display(description="as sent")
    def pretty_body(self, row: Entry) -> str:
        """Return the entry as indented JSON."""
        return format_html("<pre>{}</pre>", json.dumps(row.body, indent=2, ensure_ascii=False))


@admin.register(OpenEntry)
class OpenEntryAdmin(ReadOnly, admin.ModelAdmin[OpenEntry]):
    """Entries that agents work on, as their laptops last reported them."""

    agent_session_field = "agent_session"
    list_display = ["ghap_id", "goal", "domain", "strategy", "user", "project", "created_at", "reported_at"]
    list_filter = ["domain", "strategy", "project"]
    list_select_related = ["user", "project"]
    search_fields = ["ghap_id", "agent_session", "goal"]
    date_hierarchy = "created_at"
    exclude = ["body"]
    readonly_fields = ["reported_at", "pretty_body"]

    @admin.display(description="as sent")
    def pretty_body(self, row: OpenEntry) -> str:
        """Return the entry as indented JSON."""
        return format_html("<pre>{}</pre>", json.dumps(row.body, indent=2, ensure_ascii=False))


class ClusterInline(ReadOnly, admin.TabularInline[Cluster, Clustering]):
    """The clusters of a clustering."""

    model = Cluster
    show_change_link = True


class MemberInline(ReadOnly, admin.TabularInline[ClusterMember, Cluster]):
    """The entries of a cluster."""

    model = ClusterMember


@admin.register(Clustering)
class ClusteringAdmin(ReadOnly, admin.ModelAdmin[Clustering]):
    """Runs of the clustering: scope, time and number of entries."""

    list_display = ["axis", "user", "project", "considered", "total", "computed_at", "attempted_at"]
    list_filter = ["axis"]
    list_select_related = ["user", "project"]
    search_fields = ["user__username", "project__key"]
    date_hierarchy = "computed_at"
    inlines = [ClusterInline]


@admin.register(Cluster)
class ClusterAdmin(ReadOnly, admin.ModelAdmin[Cluster]):
    """Clusters of surprises and root causes, of which the failures are made."""

    list_display = ["__str__", "clustering", "size", "weight"]
    list_filter = ["clustering__axis"]
    list_select_related = ["clustering__user", "clustering__project"]
    search_fields = ["terms", "clustering__user__username", "clustering__project__key"]
    inlines = [MemberInline]


class FailureMemberInline(ReadOnly, admin.TabularInline[FailureMember, Failure]):
    """The entries of a failure."""

    model = FailureMember


@admin.register(Failure)
class FailureAdmin(ReadOnly, admin.ModelAdmin[Failure]):
    """Failures that come back. A recount finds them; people say whether they are known or solved."""

    list_display = ["__str__", "state", "size", "user", "project", "first_seen", "last_seen", "gone_at", "state_by"]
    list_filter = ["state", ("gone_at", admin.EmptyFieldListFilter), "project"]
    list_select_related = ["user", "project", "state_by"]
    search_fields = ["name", "terms", "project__key", "user__username"]
    date_hierarchy = "last_seen"
    inlines = [FailureMemberInline]
    actions = ["mark_known", "mark_solved", "mark_open"]

    @asking_first("Mark as known", effect="Everybody who sees them sees that; they stay among the unsolved ones.")
    def mark_known(self, request: HttpRequest, selected: QuerySet[Failure]) -> None:
        """Mark the selected failures as known."""
        _set_state(request, selected, Failure.State.KNOWN)

    @asking_first("Mark as solved", effect="Each becomes regressed when one of its kind is recorded later.")
    def mark_solved(self, request: HttpRequest, selected: QuerySet[Failure]) -> None:
        """Mark the selected failures as solved."""
        _set_state(request, selected, Failure.State.SOLVED)

    @asking_first("Mark as open", effect="They are neither known nor solved then.")
    def mark_open(self, request: HttpRequest, selected: QuerySet[Failure]) -> None:
        """Open the selected failures again."""
        _set_state(request, selected, Failure.State.OPEN)


def _set_state(request: HttpRequest, selected: QuerySet[Failure], state: Failure.State) -> None:
    count = changes.set_state(selected, state, by=cast("User", request.user))
    messages.success(request, f"{count} {'is' if count == 1 else 'are'} {state} now")
