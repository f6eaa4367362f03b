"""Admin of what people and their agents asked the memory."""

from __future__ import annotations

from django.contrib import admin

from memoryserver.admin.read_only import ReadOnly
from memoryserver.inquiries.models import Inquiry


@admin.register(Inquiry)
class InquiryAdmin(ReadOnly, admin.ModelAdmin[Inquiry]):
    """Inquiries. Their words are their user's alone, so looking at those of another is recorded."""

    rows_are_personal = True
    agent_session_field = "agent_session"
    list_display = ["asked_at", "user", "project", "kind", "way", "words", "found"]
    list_filter = ["kind", "way", "project", "user"]
    list_select_related = ["user", "project"]
    search_fields = ["words", "agent_session", "user__username"]
    date_hierarchy = "asked_at"
