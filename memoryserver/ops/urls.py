"""Addresses of the operation."""

from django.urls import path

from memoryserver.ops.views import healthz, readyz

urlpatterns = [path("healthz", healthz, name="healthz"), path("readyz", readyz, name="readyz")]
