"""Admin of the journal: entries are looked at, not edited."""

from __future__ import annotations

import json

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html

from ghap.models import Cluster, Clustering, ClusterMember, Entry


@admin.register(Entry)
class EntryAdmin(admin.ModelAdmin[Entry]):
    """Entries as the laptops sent them, and how far their embedding is."""

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
    search_fields = ["ghap_id", "session_id", "goal"]
    date_hierarchy = "captured_at"
    exclude = ["body"]
    readonly_fields = ["pretty_body", "embed_attempts", "embed_after", "embed_error"]

    @admin.display(description="as sent")
    def pretty_body(self, row: Entry) -> str:
        """The whole entry, indented."""
        return format_html("<pre>{}</pre>", json.dumps(row.body, indent=2, ensure_ascii=False))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """They come from laptops alone."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Entry | None = None) -> bool:
        """What was sent stays as it was sent."""
        return False


class ReadOnly:
    """Made by jobs alone."""

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Jobs make them."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """The next night would undo it."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """The next night would bring them back."""
        return False


class ClusterInline(ReadOnly, admin.TabularInline[Cluster, Clustering]):
    """The clusters of a clustering."""

    model = Cluster
    show_change_link = True


class MemberInline(ReadOnly, admin.TabularInline[ClusterMember, Cluster]):
    """The entries of a cluster."""

    model = ClusterMember


@admin.register(Clustering)
class ClusteringAdmin(ReadOnly, admin.ModelAdmin[Clustering]):
    """When clusters were looked for, in which scopes, among how many entries."""

    list_display = ["axis", "user", "project", "considered", "total", "computed_at", "attempted_at"]
    list_filter = ["axis"]
    list_select_related = ["user", "project"]
    inlines = [ClusterInline]


@admin.register(Cluster)
class ClusterAdmin(ReadOnly, admin.ModelAdmin[Cluster]):
    """What goes wrong again and again."""

    list_display = ["__str__", "clustering", "size", "weight"]
    list_filter = ["clustering__axis"]
    list_select_related = ["clustering__user", "clustering__project"]
    inlines = [MemberInline]
