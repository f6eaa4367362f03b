"""URLs of the pages of the log."""

from django.urls import path

from obslog.pages import audit, log

urlpatterns = [
    path("log/", log.log_page, name="log"),
    path("log/<uuid:key>/", log.observation_page, name="log-observation"),
    path("teams/<int:key>/audit/", audit.team_audit, name="team-audit"),
]
