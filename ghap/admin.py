"""Admin of the journal; entries and clusters are read-only."""

from __future__ import annotations

import json

from django.contrib import admin
from django.utils.html import format_html

from ghap.models import Cluster, Clustering, ClusterMember, Entry
from memoryserver.admin.read_only import ReadOnly


@admin.register(Entry)
class EntryAdmin(ReadOnly, admin.ModelAdmin[Entry]):
    """Entries as sent by clients, with the state of their embedding."""

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
    inlines = [ClusterInline]


@admin.register(Cluster)
class ClusterAdmin(ReadOnly, admin.ModelAdmin[Cluster]):
    """Clusters of recurring failures."""

    list_display = ["__str__", "clustering", "size", "weight"]
    list_filter = ["clustering__axis"]
    list_select_related = ["clustering__user", "clustering__project"]
    inlines = [MemberInline]
