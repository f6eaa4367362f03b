"""Texts that look like scripts run on no page, in a real browser: each kind of row has them in each of its texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.contrib.admin.utils import quote as admin_quote
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from memoryserver.accounts.models import User
from tests.support import hostile_rows
from tests.support.doors import DOORS
from tests.support.hostile_rows import EVALUATED, HOSTILE

CHECK = """(evaluated) => [
    window.hit === undefined ? "" : "a script ran",
    document.querySelector("[onerror]") ? "an element has onerror" : "",
    document.querySelector("a[href^='javascript:' i], form[action^='javascript:' i]") ? "a link runs a script" : "",
    document.querySelector("script:not([src]):not([type='application/json'])") ? "a script is in the page" : "",
    document.documentElement.innerHTML.includes(evaluated) ? "a template was evaluated" : "",
].filter(Boolean)"""
SHOWN = "(document.querySelector('main') || document.body).innerHTML.includes('hit=1')"
WORDS = quote(HOSTILE)
NO_PAGES = ("api/", "join", "healthz", "readyz", "metrics", "export")

WITHOUT_TEXTS = {
    *(f"/account/{name}/" for name in ("confirm", "password", "two-factor", "two-factor/webauthn")),
    *("/device/", "/inactive/", "/logout/", "/password/reset/done/", "/password/reset/key/done/"),
    *("/account/address/sent/", "/sso/cancelled/"),
    "/weekly-mail/01935f4e-0000-7000-8000-000000000001/unsubscribe/",
}
"""Pages that show nothing that somebody wrote, beside the name of the user in the menu."""


@dataclass
class Visits:
    """What was wrong on which page, and the pages that showed one of the texts."""

    page: Page
    address: str
    wrong: dict[str, list[str]] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    path: str = ""

    def __post_init__(self) -> None:
        self.page.on("console", lambda message: self._complain(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self._complain(str(error)))
        self.page.on("request", lambda request: self._check_host(request.url))
        self.page.on("dialog", lambda _: self._complain("a dialog was opened"))

    def go(self, path: str) -> None:
        self.path = path
        answer = self.page.goto(self.address + path)
        if answer is None or answer.status != 200:
            self._complain(f"status {answer and answer.status}")
        for complaint in self.page.evaluate(CHECK, EVALUATED):
            self._complain(complaint)
        if self.page.evaluate(SHOWN):
            self.shown.add(path)

    def _complain(self, text: str) -> None:
        self.wrong.setdefault(self.path, []).append(text)

    def _check_host(self, url: str) -> None:
        if not url.startswith((self.address + "/", "data:")):
            self._complain(f"asked {url}")


@pytest.fixture
def owner(transactional_db: None) -> User:
    return User.objects.create_user("alice", password="open sesame please")


@pytest.fixture
def visits(owner: User, page: Page, live_server: Any) -> Visits:
    """A browser in which the owner is signed in."""
    client = Client(headers={"user-agent": HOSTILE})
    client.post("/login/", {"login": owner.username, "password": "open sesame please"})
    cookie = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    return Visits(page, live_server.url)


def pages(ids: Mapping[str, object], role: str) -> Iterator[str]:
    """The addresses of the pages that answer the role, of rows that there are."""
    known = {name: quote(str(value), safe="/") for name, value in ids.items()}
    position = {"author": -1, "lead": -2, "staff": 3}[role]
    for door in DOORS:
        if door.method != "GET" or door.address.startswith(NO_PAGES):
            continue
        if door.shared.split()[position] != "200":
            continue
        query = door.query.format(**known)
        head, mark, _ = door.address.partition("<")
        tail = door.address.rpartition(">")[2] if mark else ""
        yield f"/{head}{query if mark else ''}{tail}" + ("" if mark else query)


def admin_pages() -> Iterator[str]:
    """The list of each model in the admin, and the page of one row."""
    yield "/admin/"
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{name}_changelist")
        row = model._default_manager.first()
        if row is not None:
            yield reverse(f"{name}_change", args=[admin_quote(row.pk)])


def test_no_text_of_a_row_runs_on_a_page_of_its_owner(visits: Visits, owner: User) -> None:
    ids = hostile_rows.make(owner)
    searches = [
        f"/{name}/?q={WORDS}&project={WORDS}" for name in ("search", "log", "entries", "learnings", "trajectory")
    ]
    paths = list(dict.fromkeys([*pages(ids, "author"), *pages(ids, "lead"), *searches, f"/device/?code={WORDS}"]))
    for path in paths:
        visits.go(path)

    assert visits.wrong == {}
    alike = {path for path in paths if "similar" in path or "near-equal" in path}  # nothing is alike to the one entry
    assert {path for path in paths if path not in visits.shown} - alike == WITHOUT_TEXTS


def test_no_text_of_a_row_runs_on_a_page_of_staff(visits: Visits, owner: User) -> None:
    hostile_rows.make(owner)
    User.objects.filter(pk=owner.pk).update(is_staff=True, is_superuser=True)
    paths = [*admin_pages(), "/operations/", "/account/invitations/"]
    for path in paths:
        visits.go(path)

    assert visits.wrong == {}
    without_texts = {"/admin/", "/admin/judge/judgeday/", "/admin/vectors/collection/"}
    assert {path for path in paths if path not in visits.shown} == without_texts
