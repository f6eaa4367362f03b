"""URLs of the pages of teams and projects."""

from django.urls import path

from memoryserver.accounts.teams import views

urlpatterns = [
    path("teams/", views.teams_page, name="teams"),
    path("teams/<int:key>/members/", views.member_add, name="team-member-add"),
    path("teams/<int:key>/members/<int:user>/", views.member_change, name="team-member"),
    path("projects/<int:key>/move/<int:team>/", views.project_move, name="project-move"),
]
