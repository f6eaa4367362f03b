"""URLs of the page of a project's context."""

from django.urls import path

from memoryserver.context.views import context_page

urlpatterns = [path("", context_page, name="context")]
