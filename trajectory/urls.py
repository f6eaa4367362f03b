"""URLs of the pages of trajectories."""

from django.urls import path

from trajectory import views
from trajectory.pages import sessions

urlpatterns = [
    path("", sessions.session_list, name="trajectory"),
    path("<int:key>/", sessions.session_page, name="trajectory-session"),
    path("observers/", views.observers_page, name="trajectory-observers"),
    path("observers/preview/", views.observers_preview, name="trajectory-observers-preview"),
]
