"""Admin of the judge's budget."""

from __future__ import annotations

from django.contrib import admin

from capture.judge.models import JudgeDay
from memoryserver.admin.read_only import ReadOnly


@admin.register(JudgeDay)
class JudgeDayAdmin(ReadOnly, admin.ModelAdmin[JudgeDay]):
    """How much of each day's budget was used."""

    list_display = ["day", "calls", "candidates"]
    search_fields = ["day"]
    date_hierarchy = "day"
