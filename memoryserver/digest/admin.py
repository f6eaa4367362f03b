"""Admin of the weekly mail."""

from __future__ import annotations

from django.contrib import admin

from memoryserver.admin.read_only import ReadOnly
from memoryserver.digest.models import Subscription


@admin.register(Subscription)
class SubscriptionAdmin(ReadOnly, admin.ModelAdmin[Subscription]):
    """Who gets the weekly mail, when the next is due and what went wrong; without the key of the link that ends it.

    It holds nothing that a person wrote, so looking at it is not recorded.
    """

    list_display = ["user", "due_at", "attempts", "sent_at", "error"]
    list_filter = [("error", admin.EmptyFieldListFilter)]
    list_select_related = ["user"]
    search_fields = ["user__username", "error"]
    date_hierarchy = "due_at"
    exclude = ["key"]
