"""URLs of the page of the operation."""

from django.urls import path

from memoryserver.operations import views

urlpatterns = [
    path("operations/", views.operations_page, name="operations"),
    path("operations/run/", views.run_job, name="operations-run"),
    path("operations/embed/", views.retry_embedding, name="operations-embed"),
]
