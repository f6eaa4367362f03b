"""`memory projects` against the server itself, over HTTP."""

from __future__ import annotations

import json

import pytest
from pytest_django.live_server_helper import LiveServer

from memorycli import renamed
from memorycli.delivery import connection
from memoryserver.accounts import tokens
from memoryserver.accounts.models import Project, User
from memoryserver.client import context_cache, places
from tests.support.laptops.laptop import Laptop
from tests.support.rows.factories import ProjectFactory, TeamFactory, UserFactory


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


def test_rename_without_names_brings_the_memory_over(memory: Laptop, alice: User) -> None:
    own = ProjectFactory(owner=alice, key="project ü")
    memory.rename()
    said = memory("projects", "rename")
    own.refresh_from_db()

    assert (said.status, said.err) == (0, "")
    assert said.out == "github.com/acme/store has the memory of project ü now (private).\n"
    assert own.key == "github.com/acme/store"
    assert context_cache.load(own.key) is not None
    again = memory("projects", "rename")
    assert (again.status, again.out) == (1, "")
    assert again.err == (
        "memory: this project had no other name on this laptop; name both: memory projects rename OLD NEW\n"
    )


def test_rename_says_who_may_and_stays_to_be_done(memory: Laptop, alice: User) -> None:
    crew = TeamFactory(name="crew", people=[UserFactory(username="lea"), alice])
    project = ProjectFactory(team=crew, key="project ü")
    memory.rename()
    said = memory("projects", "rename")

    assert (said.status, said.out) == (1, "")
    assert said.err == "memory: only a lead of team crew may rename its project project ü\n"
    assert renamed.earlier_keys(places.here()) == (project.key,)


def test_private_rows_are_shared_only_with_the_option(memory: Laptop, alice: User) -> None:
    crew = TeamFactory(name="crew", people=[alice])
    target, own = ProjectFactory(team=crew, key="github.com/acme/store"), ProjectFactory(owner=alice, key="project ü")
    memory.rename()
    refused, done = memory("projects", "rename"), memory("projects", "rename", "--share", "--json")

    assert (refused.status, refused.out) == (1, "")
    assert refused.err == (
        "memory: the members of team crew would see what is in your private project project ü; memory projects rename "
        "--share does it\n"
    )
    assert done.json() == [{"key": target.key, "team": "crew", "role": "lead"}]
    assert not Project.objects.filter(pk=own.pk).exists()


def test_nothing_under_the_name_before_is_nothing_to_do(memory: Laptop, alice: User) -> None:
    memory.rename()
    said, named = memory("projects", "rename"), memory("projects", "rename", "cellar", "attic")

    assert (said.status, said.out) == (0, "The server has nothing under project ü.\n")
    assert renamed.earlier_keys(places.here()) == ()
    assert (named.status, named.err) == (1, "memory: you see no project 'cellar'\n")


def test_other_projects_are_renamed_by_both_names(memory: Laptop, alice: User) -> None:
    ProjectFactory(owner=alice, key="github.com/acme/cellar")
    memory.rename()
    said = memory("projects", "rename", "github.com/acme/cellar", "github.com/acme/attic")

    assert said.out == "github.com/acme/attic has the memory of github.com/acme/cellar now (private).\n"
    assert renamed.earlier_keys(places.here()) == ("project ü",)


def test_dismissed_rename_changes_nothing_on_the_server(memory: Laptop, alice: User) -> None:
    own = ProjectFactory(owner=alice, key="project ü")
    memory.rename()
    said = memory("projects", "rename", "--dismiss")

    assert (said.status, said.out) == (
        0,
        "github.com/acme/store is another project than project ü, which keeps its memory.\n",
    )
    assert (renamed.earlier_keys(places.here()), Project.objects.get()) == ((), own)
