"""`memory projects` against the server itself, over HTTP."""

from __future__ import annotations

import json

import pytest
from pytest_django.live_server_helper import LiveServer

from memorycli.delivery import connection
from memoryserver.accounts import tokens
from memoryserver.accounts.models import Project, User
from tests.support.factories import ProjectFactory, TeamFactory, UserFactory
from tests.support.laptop import Laptop


@pytest.fixture
def alice(live_server: LiveServer, transactional_db: None, memory: Laptop) -> User:
    """Logged in on the laptop."""
    alice = UserFactory(username="alice")
    connection.store(live_server.url, tokens.issue(alice, "laptop")[1])
    return alice


def test_projects_are_listed_with_team_and_role(memory: Laptop, alice: User) -> None:
    ProjectFactory(owner=alice, key="notes")
    ProjectFactory(team=TeamFactory(name="crew", people=[alice]), key="github.com/crew/shop")
    said = memory("projects")

    assert (said.status, said.err) == (0, "")
    assert said.out == "github.com/crew/shop  team crew, lead\nnotes                 private\n"


def test_all_pages_are_fetched(memory: Laptop, alice: User) -> None:
    Project.objects.bulk_create(Project(owner=alice, key=f"p{number:03}") for number in range(101))
    projects = json.loads(memory("projects", "--json").out)

    assert [project["key"] for project in projects] == [f"p{number:03}" for number in range(101)]
    assert projects[0] == {"key": "p000", "team": "", "role": "owner"}


def test_nobody_without_projects_is_left_without_an_answer(memory: Laptop, alice: User) -> None:
    said = memory("projects")
    assert (said.status, said.out) == (
        0,
        "No projects yet. One appears when an agent works in it for the first time.\n",
    )


def test_server_that_does_not_answer_is_one_sentence(memory: Laptop) -> None:
    connection.store("http://127.0.0.1:9", "msv_x")
    said = memory("projects")
    assert (said.status, said.out, said.err.count("\n")) == (1, "", 1)
