"""URLs of the observation log's pages."""

from django.urls import path

from obslog import views

urlpatterns = [
    path("", views.log_page, name="log"),
    path("<uuid:key>/", views.observation_page, name="log-observation"),
]
