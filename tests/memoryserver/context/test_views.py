"""The page that explains a project's context."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from capture.models import Learning
from memoryserver.accounts.models import Project, User


def page(user: User | None, **query: str) -> tuple[int, str]:
    client = Client()
    if user is not None:
        client.force_login(user)
    answer = client.get("/context/", query)
    return answer.status_code, answer.content.decode()


@pytest.fixture
def learned(alice: User, shared_project: Project) -> None:
    now = timezone.now()
    fields = {"user": alice, "project": shared_project, "type": "convention", "first_seen": now, "last_seen": now}
    Learning.objects.create(content="Use <uv>", confidence=0.9, **fields)
    Learning.objects.create(content="All 66 tests pass", confidence=0.9, is_report=True, **fields)


@pytest.mark.usefixtures("learned")
def test_lines_are_shown_with_the_reasons_and_so_are_those_left_out(alice: User) -> None:
    status, text = page(alice)
    inside, _, outside = text.partition("Not in the context")

    assert status == 200
    assert "[convention] Use ‹uv&gt;" in inside
    assert "believed; stated with confidence 0.90" in inside
    assert "[convention] All 66 tests pass" in outside
    assert "a status report, which never enters a context" in outside


@pytest.mark.usefixtures("learned")
def test_mate_sees_it_stranger_does_not_and_nobody_signs_in(bob: User, charlie: User, shared_project: Project) -> None:
    answers = [page(user, project=shared_project.key) for user in (bob, charlie, None)]

    assert [(status, "Use ‹uv" in text) for status, text in answers] == [(200, True), (200, False), (302, False)]


def test_user_without_projects_gets_an_empty_page(charlie: User) -> None:
    status, text = page(charlie)

    assert (status, "The context of this project is empty." in text) == (200, True)
