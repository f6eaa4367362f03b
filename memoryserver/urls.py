"""URL configuration of the server."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from memoryserver.api import api

handler404 = "memoryserver.problems.not_found"
handler500 = "memoryserver.problems.server_error"

urlpatterns = [
    # First, since agents send most requests, and each pattern before it costs them time.
    path("api/v1/", api.urls),
    path("", include("memoryserver.digest.urls")),
    path("", include("memoryserver.home.urls")),
    path("", include("memoryserver.inquiries.urls")),
    path("admin/", admin.site.urls),
    # The admin's pages link no icon, so browsers request this one.
    path("favicon.ico", login_not_required(RedirectView.as_view(url=static("memoryserver/icon.svg")))),
    path("", include("memoryserver.access.sign_in_urls")),
    path("context/", include("memoryserver.context.urls")),
    path("search/", include("memoryserver.search.urls")),
    path("trajectory/", include("trajectory.urls")),
    path("", include("memoryserver.access.urls")),
    path("", include("memoryserver.joining.urls")),
    path("", include("ghap.urls")),
    path("", include("capture.urls")),
    path("", include("memoryserver.ops.urls")),
    path("", include("memoryserver.operations.urls")),
    path("", include("obslog.urls")),
    path("", include("memoryserver.accounts.teams.urls")),
    path("", include("memoryserver.accounts.transfer.urls")),
]
