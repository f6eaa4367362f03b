"""URLs of the pages of trajectories."""

from django.urls import path

from trajectory.pages import observers, sessions

urlpatterns = [
    path("", sessions.session_list, name="trajectory"),
    path("<int:key>/", sessions.session_page, name="trajectory-session"),
    path("observers/", observers.observers_page, name="trajectory-observers"),
    path("observers/preview/", observers.observers_preview, name="trajectory-observers-preview"),
]
