"""Texts that look like scripts run on no page, in a real browser: each kind of row has them in each of its texts.

The pages of staff are visited here, those of the owner of the rows in `test_page_every`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import quote

from django.contrib import admin
from django.contrib.admin.utils import quote as admin_quote
from django.urls import reverse

from memoryserver.accounts.models import User
from tests.e2e.visits import Visits
from tests.support.requests.doors import DOORS
from tests.support.rows import hostile_rows
from tests.support.rows.hostile_rows import HOSTILE

WORDS = quote(HOSTILE)
NO_PAGES = ("api/", "join", "healthz", "readyz", "metrics", "export")


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


def searches() -> Iterator[str]:
    """The addresses of the lists, searched for the text."""
    for name in ("search", "log", "entries", "learnings", "trajectory"):
        yield f"/{name}/?q={WORDS}&project={WORDS}"


def admin_pages() -> Iterator[str]:
    """The list of each model in the admin, and the page of one row."""
    yield "/admin/"
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{name}_changelist")
        row = model._default_manager.first()
        if row is not None:
            yield reverse(f"{name}_change", args=[admin_quote(row.pk)])


def test_no_text_of_a_row_runs_on_a_page_of_staff(visits: Visits, owner: User) -> None:
    hostile_rows.make(owner)
    User.objects.filter(pk=owner.pk).update(is_staff=True, is_superuser=True)
    paths = [*admin_pages(), "/operations/", "/account/invitations/"]
    for path in paths:
        visits.go(path)

    assert visits.wrong == {}
    without_texts = {"/admin/", "/admin/judge/judgeday/", "/admin/vectors/collection/"}
    assert {path for path in paths if path not in visits.shown} == without_texts
