"""URLs of the journal's pages."""

from django.urls import path

from ghap import views
from ghap.pages import entries

urlpatterns = [
    path("strategies/", views.strategies_page, name="ghap-strategies"),
    path("clusters/", views.clusters_page, name="ghap-clusters"),
    path("clusters/<int:key>/", views.cluster_page, name="ghap-cluster"),
    path("entries/", entries.entry_list, name="ghap-entries"),
    path("entries/<int:key>/", entries.entry_page, name="ghap-entry"),
    path("entries/<int:key>/similar/", entries.similar, name="ghap-similar"),
]
