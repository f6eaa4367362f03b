"""URLs of the journal's pages."""

from django.urls import path
from django.views.generic import RedirectView

from ghap.pages import entries, failures, open_entries, strategies

urlpatterns = [
    path("strategies/", strategies.strategies_page, name="ghap-strategies"),
    path("clusters/", RedirectView.as_view(pattern_name="ghap-failures", query_string=True), name="ghap-clusters"),
    path("failures/", failures.failure_list, name="ghap-failures"),
    path("failures/recount/", failures.failure_recount, name="ghap-failure-recount"),
    path("failures/<int:key>/", failures.failure_page, name="ghap-failure"),
    path("failures/<int:key>/change/", failures.failure_change, name="ghap-failure-change"),
    path("entries/", entries.entry_list, name="ghap-entries"),
    path("entries/open/<int:key>/", open_entries.open_entry_page, name="ghap-open-entry"),
    path("entries/<int:key>/", entries.entry_page, name="ghap-entry"),
    path("entries/<int:key>/quality/", entries.entry_quality, name="ghap-quality"),
    path("entries/<int:key>/similar/", entries.similar, name="ghap-similar"),
]
