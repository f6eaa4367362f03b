"""Which answers are uses of the learnings in them: each counts once, when it reaches somebody."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from capture import reading, sink
from capture.belief.answers import pages
from capture.models import Learning, LearningUsage
from memoryserver.accounts.models import Project, User
from memoryserver.context.explanation import explain
from memoryserver.context.service import build_context
from memoryserver.search.service import Search, search
from tests.capture.test_sink import capture, learning

HTMX = {"HX-Request": "true"}


@pytest.fixture
def row(alice: User, shared_project: Project) -> Learning:
    sink.store(alice, shared_project, capture(learning(), captured_at=timezone.now() - timedelta(days=1)))
    return Learning.objects.get()


def uses() -> Mapping[str, int]:
    rows = LearningUsage.objects.all()
    names = ("shown", "returned", "opened")
    return {name: getattr(row, name) for row in rows for name in names if getattr(row, name)}


@pytest.mark.parametrize(
    ("path", "counted"),
    [
        ("context?project={project}", {"shown": 1}),
        ("context/explanation?project={project}", {}),
        ("search?q=backup+lock&mode=lexical", {"returned": 1}),
        ("memory?id=learnings/{key}", {"opened": 1}),
        ("memory/learnings/{key}", {"opened": 1}),
        ("learnings/{key}", {"opened": 1}),
        ("learnings?q=backup", {}),
        ("learnings/{key}/uses", {}),
        ("lookup?id=learnings/{key}", {}),
        ("timeline?id=learnings/{key}", {}),
    ],
)
def test_answer_of_the_api_is_counted_once_as_what_it_is(
    path: str, counted: Mapping[str, int], row: Learning, bob: User, api: Any
) -> None:
    answer = api(bob).get("/api/v1/" + path.format(key=row.pk, project="github.com/crew/shop"))

    assert (answer.status_code, uses()) == (200, counted)


@pytest.mark.parametrize(
    ("path", "headers", "counted"),
    [
        ("/search/?q=backup+lock", {}, {"returned": 1}),
        ("/search/?q=backup+lock", HTMX, {}),  # with each letter that is typed
        ("/learnings/{key}/", {}, {"opened": 1}),
        ("/learnings/{key}/", HTMX, {}),
        ("/learnings/", {}, {}),
        ("/context/?project=github.com/crew/shop", {}, {}),
    ],
)
def test_page_is_counted_when_it_is_opened(
    path: str, headers: Mapping[str, str], counted: Mapping[str, int], row: Learning, bob: User, client: Client
) -> None:
    client.force_login(bob)
    answer = client.get(path.format(key=row.pk), headers=headers)

    assert (answer.status_code, uses()) == (200, counted)


def test_work_whose_result_reaches_nobody_is_no_use(row: Learning, alice: User, shared_project: Project) -> None:
    build_context(alice, shared_project.key)
    explain(alice, shared_project.key)
    search(alice, Search("backup lock", mode="lexical"))
    reading.read(alice, str(row.pk))

    assert uses() == {}


def test_what_the_team_may_see_is_visible_and_other_ids_are_not(
    row: Learning, alice: User, bob: User, charlie: User
) -> None:
    Learning.objects.update(hidden=True)
    ids = [f"learnings/{row.pk}", f"ghap/{row.pk}", f"learnings/{row.pk + 1}", "learnings/x", "learnings", ""]

    address = {ids[0]: f"/{ids[0]}/"}
    assert [pages(user, ids) for user in (alice, bob, charlie)] == [address, address, {}]
