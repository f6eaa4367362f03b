"""Admin of the log; read-only."""

from __future__ import annotations

import json
import uuid
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import PAGE_VAR
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.functional import cached_property
from django.utils.html import format_html

from memoryserver.admin.read_only import ReadOnly
from memoryserver.common.text import printable, shorten
from obslog import partitions
from obslog.audit import VIEWED
from obslog.format import moment_text, timestamp
from obslog.models import Observation, Scope

_RECENT = 1_000
COUNTED = 10_000


class LogPaginator(Paginator[Any]):
    """Counts at most `limit` rows, since counting the whole log takes seconds once it is large.

    The admin sets the limit to COUNTED rows beyond the page that is shown, so that the list goes on to its end.
    """

    limit = COUNTED

    @cached_property
    def count(self) -> int:
        """The number of rows, at most `limit`."""
        rows: QuerySet[Observation] = self.object_list[: self.limit]  # type: ignore[assignment]
        return rows.count()


class TypeFilter(admin.SimpleListFilter):
    """The types of the newest observations; finding all types would scan the whole log."""

    title = "type"
    parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the choices."""
        newest = Observation.objects.order_by("-id").values_list("type", flat=True)[:_RECENT]
        return [(name, name) for name in sorted({*newest, *filter(None, [self.value()])})]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Observation]) -> QuerySet[Observation]:
        """Return the observations of the selected type."""
        return queryset.filter(type=self.value()) if self.value() else queryset


@admin.register(Observation)
class ObservationAdmin(ReadOnly, admin.ModelAdmin[Observation]):
    """The log, newest first; observations cannot be changed."""

    rows_are_personal = True
    is_record_of_look = staticmethod(lambda row: row.type == VIEWED)  # else each view of the log would add to it
    list_display = ["when", "reported", "type", "source", "line", "user"]
    list_filter = [TypeFilter, "user"]
    list_select_related = ["user"]
    list_per_page = 50
    ordering = ["-id"]
    paginator = LogPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # facets would count the whole log for each choice
    search_fields = ["pk"]
    search_help_text = "The id of an observation, or a scope id in full"
    fields = ["when", "reported", "type", "source", "user", "line", "whole_details", "whole_data", "about", "id"]
    readonly_fields = ["when", "reported", "line", "whole_details", "whole_data", "about"]
    change_list_template = "obslog/admin/change_list.html"

    @admin.display(description="time (UTC)", ordering="id")
    def when(self, row: Observation) -> str:
        """Return the time to the millisecond."""
        return timestamp(row).replace("T", " ").removesuffix("Z")

    @admin.display(description="reported (UTC)")
    def reported(self, row: Observation) -> str:
        """Return the time that the client gave, where it cannot be right."""
        return "-" if row.reported_at is None else moment_text(row.reported_at).replace("T", " ").removesuffix("Z")

    @admin.display(description="message")
    def line(self, row: Observation) -> str:
        """Return the message without control and bidirectional characters."""
        return shorten(printable(row.message), 200)

    @admin.display(description="details")
    def whole_details(self, row: Observation) -> str:
        """Return the details with their line breaks."""
        return format_html("<pre>{}</pre>", printable(row.details)) if row.details else "-"

    @admin.display(description="data")
    def whole_data(self, row: Observation) -> str:
        """Return the data as indented JSON."""
        return "-" if row.data is None else format_html("<pre>{}</pre>", printable(json.dumps(row.data, indent=2)))

    @admin.display(description="about")
    def about(self, row: Observation) -> str:
        """Return the scope ids, one per line."""
        return format_html("<pre>{}</pre>", "\n".join(map(printable, row.scope_ids))) if row.scope_ids else "-"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Observation], search_term: str
    ) -> tuple[QuerySet[Observation], bool]:
        """Search by id, or by scope id, each by an index."""
        if not search_term:
            return queryset, False
        try:
            identifier = uuid.UUID(search_term)
            return queryset.filter(Q(pk=identifier) | Q(reported_id=identifier)), False
        except ValueError:
            about = Scope.objects.filter(scope_id=search_term)
            return queryset.filter(pk__in=about.values("observation_id")), False

    def get_paginator(self, request: HttpRequest, *args: Any, **kwargs: Any) -> LogPaginator:
        """Return a paginator that counts beyond the requested page."""
        paginator = LogPaginator(*args, **kwargs)
        page = request.GET.get(PAGE_VAR, "")
        if page.isdecimal() and len(page) < 10:
            paginator.limit = int(page) * self.list_per_page + COUNTED
        return paginator

    def get_urls(self) -> list[URLPattern]:
        """Add the page of sizes."""
        sizes = path("sizes/", self.admin_site.admin_view(self.sizes), name="obslog_observation_sizes")
        return [sizes, *super().get_urls()]

    def sizes(self, request: HttpRequest) -> HttpResponse:
        """Render the size of each month. Raises PermissionDenied without the permission to view observations."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        months = partitions.sizes()
        context = {
            **self.admin_site.each_context(request),
            "title": "Size of the observation log",
            "opts": self.opts,
            "sizes": months,
            "observations": sum(size.observations for size in months),
            "bytes": sum(size.bytes for size in months),
        }
        return TemplateResponse(request, "obslog/admin/sizes.html", context)
