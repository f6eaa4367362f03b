"""Addresses of the operation."""

from django.urls import path

from memoryserver.ops.views import healthz, metrics_page, readyz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("metrics", metrics_page, name="metrics"),
    path("readyz", readyz, name="readyz"),
]
