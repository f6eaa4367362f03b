"""URLs of the pages of the log."""

from django.urls import path

from obslog import audit_views, views

urlpatterns = [
    path("log/", views.log_page, name="log"),
    path("log/<uuid:key>/", views.observation_page, name="log-observation"),
    path("teams/<int:key>/audit/", audit_views.team_audit, name="team-audit"),
]
