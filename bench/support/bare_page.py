"""The site's addresses, and two pages more, which `bench/pages.py` compares the others with: a template and a COUNT."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import include, path

from ghap.models import Entry
from memoryserver.accounts.models import User


def bare(request: HttpRequest) -> HttpResponse:
    """Render the site's layout with the number of entries."""
    return render(request, "memoryserver/base.html", {"count": Entry.objects.count()})


def empty(request: HttpRequest) -> HttpResponse:
    """Render the site's layout with the number of users, of whom there is one: what no page can be quicker than."""
    return render(request, "memoryserver/base.html", {"count": User.objects.count()})


urlpatterns = [path("bare/", bare), path("empty/", empty), path("", include("memoryserver.urls"))]
