"""Admin of the collections of vectors."""

from __future__ import annotations

from django.contrib import admin

from memoryserver.admin.read_only import ReadOnly
from memoryserver.vectors.models import Collection


@admin.register(Collection)
class CollectionAdmin(ReadOnly, admin.ModelAdmin[Collection]):
    """Collections with the model of each, and the one that `manage.py reembed` changes to."""

    list_display = ["name", "model", "dimension", "created_at", "indexed_at", "next_model"]
    search_fields = ["name", "model"]
    date_hierarchy = "created_at"
    readonly_fields = ["indexed_at", "next_model", "next_dimension"]
