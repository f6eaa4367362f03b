"""The site's addresses, and one page more: a template and a COUNT, which `bench/pages.py` compares the others with."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import include, path

from memoryserver.accounts.models import User


def bare(request: HttpRequest) -> HttpResponse:
    """Render the site's layout with the number of users."""
    return render(request, "memoryserver/base.html", {"count": User.objects.count()})


urlpatterns = [path("bare/", bare), path("", include("memoryserver.urls"))]
