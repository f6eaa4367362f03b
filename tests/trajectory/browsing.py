"""A browser on the trajectory pages, and what their form holds."""

from __future__ import annotations

from typing import Any

from django.test import Client

from memoryserver.accounts.models import User


def browser(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def form_of(user: User) -> dict[str, Any]:
    """What the form holds when it is opened."""
    page = browser(user).get("/trajectory/observers/")
    fields = {bound.html_name: bound.value() for bound in page.context["form"]}
    return {name: value for name, value in fields.items() if value not in (None, False)}
