"""The admin's pages of the log: readable, safe, for administrators."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from memoryserver.accounts.models import User
from obslog import log
from obslog.admin import LogPaginator
from obslog.models import Observation
from tests.support.rows.observations import MOMENT, new

LISTING = "/admin/obslog/observation/"


def text(answer: object) -> str:
    return answer.content.decode()  # type: ignore[attr-defined,no-any-return]


def test_listing_shows_when_what_where_and_whose(alice: User, admin_client: Client) -> None:
    log.append(alice, new(created_at=MOMENT + 5, message="<b>moved</b> on"))
    log.append(None, new(source="system:jobs", type="job.failed"))

    page = text(admin_client.get(LISTING))
    assert "2023-11-14 22:13:20.005" in page
    assert "&lt;b&gt;moved&lt;/b&gt; on" in page
    assert "system:jobs" in page
    assert 'href="/admin/obslog/observation/sizes/"' in page


def test_one_observation_is_shown_whole_and_cannot_steer_the_page(alice: User, admin_client: Client) -> None:
    receipt = log.append(
        alice,
        new(details="<script>\nline two", data={"n": [1], "turn": "\u202eround"}, scope_ids=["task-1", "\u202etask"]),
    )

    page = text(admin_client.get(reverse("admin:obslog_observation_change", args=[receipt.id])))
    assert "&lt;script&gt;\nline two" in page
    assert "&quot;n&quot;: [\n" in page
    assert "task-1\ntask</pre>" in page
    assert "\u202e" not in page


@pytest.mark.parametrize(("term", "found"), [("task-1", 1), ("task", 0), ("%", 0), ("", 2)])
def test_search_is_by_whole_scope_id(alice: User, admin_client: Client, term: str, found: int) -> None:
    log.append(alice, new(scope_ids=["task-1"], message="wanted"))
    log.append(alice, new(scope_ids=["task-10"], message="wanted"))
    page = admin_client.get(LISTING, {"q": term, "type": "task.updated"})

    assert page.context["cl"].result_count == found


def test_search_is_by_id_too(alice: User, admin_client: Client) -> None:
    receipt = log.append(alice, new())

    assert [row.pk for row in admin_client.get(LISTING, {"q": str(receipt.id)}).context["cl"].result_list] == [
        receipt.id
    ]


def test_types_to_choose_from_are_those_of_the_newest(alice: User, admin_client: Client) -> None:
    log.append_all(alice, [new(type="a.b"), new(type="c.d")])

    page = admin_client.get(LISTING, {"type": "a.b"})
    assert [row.type for row in page.context["cl"].result_list] == ["a.b"]
    assert "?type=c.d" in text(page)


def test_sizes_are_shown_for_each_month(alice: User, admin_client: Client) -> None:
    page = text(admin_client.get(f"{LISTING}sizes/"))

    assert "outside of any month" in page
    assert "Together" in page


def test_sizes_are_for_administrators(alice: User) -> None:
    client = Client()
    client.force_login(alice)

    assert client.get(f"{LISTING}sizes/").status_code == 302


def test_sizes_need_the_permission_to_view_observations(alice: User) -> None:
    alice.is_staff = True
    alice.save()
    client = Client()
    client.force_login(alice)
    assert client.get(f"{LISTING}sizes/").status_code == 403

    alice.user_permissions.add(Permission.objects.get(codename="view_observation"))
    assert client.get(f"{LISTING}sizes/").status_code == 200


def test_paginator_counts_no_further_than_its_limit(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LogPaginator, "limit", 3)
    log.append_all(alice, [new() for _ in range(5)])

    assert LogPaginator(Observation.objects.order_by("-id"), 2).count == 3
