"""Ways in for a browser's page. The form is the subject of few tests and costs two pages; the others bring a cookie."""

from __future__ import annotations

from django.conf import settings
from django.test import Client
from playwright.sync_api import Page

from memoryserver.accounts.models import User


def by_cookie(page: Page, address: str, user: User | None = None) -> None:
    """Sign `user` in at `address`, by default Alice, without opening a page of it."""
    client = Client()
    client.force_login(user or User.objects.get(username="alice"))
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": address}])


def by_form(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("User").fill("alice")
    page.get_by_label("Password").fill("open sesame please")
    page.get_by_role("button", name="Sign in").click()
