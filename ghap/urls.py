"""URLs of the journal's pages."""

from django.urls import path

from ghap import views

urlpatterns = [
    path("strategies/", views.strategies_page, name="ghap-strategies"),
    path("clusters/", views.clusters_page, name="ghap-clusters"),
    path("clusters/<int:key>/", views.cluster_page, name="ghap-cluster"),
    path("entries/<int:key>/", views.entry_page, name="ghap-entry"),
]
