"""URLs of the journal's pages."""

from django.urls import path

from ghap import entry_views, views

urlpatterns = [
    path("strategies/", views.strategies_page, name="ghap-strategies"),
    path("clusters/", views.clusters_page, name="ghap-clusters"),
    path("clusters/<int:key>/", views.cluster_page, name="ghap-cluster"),
    path("entries/", entry_views.entry_list, name="ghap-entries"),
    path("entries/<int:key>/", entry_views.entry_page, name="ghap-entry"),
    path("entries/<int:key>/similar/", entry_views.similar, name="ghap-similar"),
]
