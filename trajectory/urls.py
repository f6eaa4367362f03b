"""URLs of the pages of trajectories."""

from django.urls import path

from trajectory import views

urlpatterns = [
    path("", views.session_list, name="trajectory"),
    path("<int:key>/", views.session_page, name="trajectory-session"),
    path("observers/", views.observers_page, name="trajectory-observers"),
]
