"""What is recorded of a request, by which way it came, and when it is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.utils import timezone

from capture import sink
from memoryserver.accounts.models import Project, User
from memoryserver.inquiries import records
from memoryserver.inquiries.models import Inquiry
from tests.capture.test_sink import learning

Api = Callable[[User | None], Client]


def recorded() -> list[tuple[str, str, str, int]]:
    return list(Inquiry.objects.order_by("pk").values_list("kind", "way", "words", "found"))


def test_each_way_of_asking_is_recorded(alice: User, shared_project: Project, api: Api) -> None:
    row, _ = sink.store_by_hand(alice, shared_project, learning("The backup holds the lock of the export"))
    assert row is not None
    client, browser = api(alice), Client()
    browser.force_login(alice)

    client.get("/api/v1/search?q=backup&mode=lexical", headers={"user-agent": "memory/0.1.0 (agent)"})
    client.get(f"/api/v1/context?project={shared_project.key}", headers={"user-agent": "memory/0.1.0"})
    client.get(f"/api/v1/memory?id=learnings/{row.pk}")
    client.get(f"/api/v1/memory/learnings/{row.pk}")
    client.get(f"/api/v1/timeline?id=learnings/{row.pk}")
    browser.get("/search/?q=backup")
    browser.get("/search/?q=bac", headers={"hx-request": "true"})  # while it is typed

    assert recorded() == [
        ("search", "agent", "backup", 1),
        ("context", "command", "", 1),
        ("open", "api", f"learnings/{row.pk}", 1),
        ("open", "api", f"learnings/{row.pk}", 1),
        ("timeline", "api", f"learnings/{row.pk}", 1),
        ("search", "page", "backup", 1),
    ]
    assert Inquiry.objects.get(kind="context").project == shared_project


def test_search_in_all_projects_counts_in_the_one_that_it_was_asked_from(
    alice: User, shared_project: Project, api: Api
) -> None:
    for query in (f"here={shared_project.key}", f"here=elsewhere&project={shared_project.key}", "here=elsewhere"):
        api(alice).get(f"/api/v1/search?q=backup&mode=lexical&{query}")

    projects = list(Inquiry.objects.order_by("pk").values_list("project", flat=True))
    assert projects == [shared_project.pk, shared_project.pk, None]


def test_words_are_redacted_and_cut(alice: User) -> None:
    request = RequestFactory().get("/")
    request.user = alice
    records.note(request, Inquiry.Kind.SEARCH, words="push ghp_" + "a1B2" * 9 + " " + "x" * 900)

    words = Inquiry.objects.get().words
    assert (words[:29], len(words)) == ("push [redacted:github-token] ", records.MAX_WORDS)


def test_answer_does_not_fail_where_nothing_can_be_recorded(
    alice: User, api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE inquiries_inquiry RENAME TO elsewhere")

    assert api(alice).get("/api/v1/search?q=backup&mode=lexical").status_code == 200
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "an inquiry was not recorded"
    ]


def test_old_ones_are_forgotten(alice: User) -> None:
    for _ in range(2):
        Inquiry.objects.create(user=alice, kind="search", way="page", found=0)
    old = Inquiry.objects.order_by("pk")[0]
    Inquiry.objects.filter(pk=old.pk).update(asked_at=timezone.now() - timedelta(days=records.KEPT_DAYS, hours=1))

    records.forget_old()

    assert Inquiry.objects.filter(pk=old.pk).exists() is False
    assert Inquiry.objects.count() == 1
