"""URLs of downloads."""

from django.urls import path

from memoryserver.accounts.transfer import views

urlpatterns = [
    path("export/", views.download, name="export"),
    path("export/<int:key>/", views.download_project, name="export-project"),
]
