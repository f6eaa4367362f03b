from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from capture.deliveries import IncomingLearning
from capture.models import Learning, LearningIdentity
from capture.sink import store_by_hand
from ghap.intake import receive
from ghap.models import Clustering, Entry
from memoryserver.accounts import projects
from memoryserver.accounts.models import Project, Team, User
from memoryserver.vectors.models import Record
from tests.memoryserver.accounts.test_migration import without_constraints
from tests.support.database.unsquashed import models_before
from tests.support.rows.factories import ProjectFactory, TeamFactory
from tests.support.rows.ghap_entries import body
from trajectory.models import ObserverConfig


def project_for(user: User, key: str) -> Project:
    project = projects.project_for(user, key)
    assert project is not None
    return project


def test_unknown_key_makes_a_private_project(alice: User) -> None:
    project = project_for(alice, "github.com/acme/shop")

    assert (project.owner, project.key, project.team) == (alice, "github.com/acme/shop", None)


def test_known_key_gives_the_same_project(alice: User) -> None:
    assert project_for(alice, "shop") == project_for(alice, "shop")


@pytest.mark.parametrize("key", ["github.com/crew/shop", "private"])
def test_project_comes_with_its_team_in_one_statement(
    key: str, alice: User, shared_project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ProjectFactory(owner=alice, key="private")
    with django_assert_num_queries(1):
        project = project_for(alice, key)
        team = project.team

    assert team == (shared_project.team if project == shared_project else None)
    assert project == Project.objects.get(key=key)


def test_user_who_is_inactive_has_no_known_project(alice: User, shared_project: Project) -> None:
    alice.is_active = False

    assert projects.known_project(alice, shared_project.key) is None


def test_blank_key_gives_no_project(alice: User) -> None:
    assert projects.project_for(alice, " \n ") is None
    assert Project.objects.count() == 0


def test_key_of_a_mates_shared_project_gives_that_one(bob: User, shared_project: Project) -> None:
    assert project_for(bob, shared_project.key) == shared_project


def test_key_of_a_strangers_project_makes_ones_own(charlie: User, shared_project: Project) -> None:
    assert project_for(charlie, shared_project.key).owner == charlie


def test_ones_own_project_comes_before_the_teams(bob: User, shared_project: Project) -> None:
    own = ProjectFactory(owner=bob, key=shared_project.key)

    assert project_for(bob, shared_project.key) == own


def test_oldest_project_of_several_teams_comes_first(bob: User, shared_project: Project) -> None:
    ProjectFactory(team=TeamFactory(people=[bob]), key=shared_project.key)

    assert project_for(bob, shared_project.key) == shared_project


def test_known_project_makes_none(bob: User, shared_project: Project) -> None:
    assert projects.known_project(bob, shared_project.key) == shared_project
    assert projects.known_project(bob, "github.com/crew/unknown") is None
    assert Project.objects.count() == 1


def test_key_that_is_too_long_is_cut_and_found_again(alice: User) -> None:
    first = project_for(alice, "k" * 1000)

    assert first.key == "k" * 255
    assert project_for(alice, "k" * 1000) == first


@pytest.mark.parametrize("key", ["GitHub.com/Acme/Shop", " github.com/acme/shop\n", "github.com/acme/SHOP"])
def test_key_is_compared_as_clients_write_it(alice: User, key: str) -> None:
    assert project_for(alice, key) == project_for(alice, "github.com/acme/shop")
    assert projects.visible_key(alice, key) == "github.com/acme/shop"


@pytest.mark.parametrize(
    "path",
    [
        "search?q=x&",
        *(f"{name}?" for name in ("learnings", "contradictions", "capture/metrics", "trajectory/sessions")),
    ],
)
def test_unknown_project_of_a_filter_is_refused_and_known_one_and_none_are_not(
    alice: User, api: Callable[[User], Client], path: str
) -> None:
    project_for(alice, "shop")

    def status(project: str) -> int:
        return api(alice).get(f"/api/v1/{path}project={project}").status_code

    assert [status(project) for project in ("shop", "shpo")] == [200, 422]


def test_no_project_of_a_filter_is_none(alice: User) -> None:
    assert projects.asked_key(alice, "") == ""


def test_composed_and_decomposed_letters_are_one_key(alice: User) -> None:
    assert project_for(alice, "Cafe\u0301") == project_for(alice, "café")


def test_secret_in_a_key_is_not_stored(alice: User) -> None:
    assert project_for(alice, "shop ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8").key == "shop [redacted:github-token]"


def learned(user: User, project: Project, content: str) -> None:
    store_by_hand(user, project, IncomingLearning("gotcha", content, 1.0, 0))


def test_migration_renames_and_merges_keys_and_shows_nobody_what_they_did_not_see(db: None) -> None:
    without_constraints()
    ada, bob, charlie, dora = (User.objects.create(username=name) for name in ("ada", "bob", "charlie", "dora"))
    renamed = Project.objects.create(owner=dora, key="GitHub.com/Acme/Shop")
    first, second, right = (Project.objects.create(owner=ada, key=key) for key in ("SHOP", "Shop", "shop"))
    foreign = Project.objects.create(owner=bob, key="shop")
    fill(ada, first, second, right)
    team = Team.objects.create(name="crew")
    private = Project.objects.create(owner=charlie, key="Shop")
    shared = Project.objects.create(owner=charlie, key="shop", team=team)
    learned(charlie, private, "The cache must be emptied before the import.")
    name = "0004_normalise_project_keys"
    import_module(f"memoryserver.accounts.migrations.{name}").normalise(models_before("accounts", name), None)

    assert set(Project.objects.values_list("pk", "key", "team")) == {
        (renamed.pk, "github.com/acme/shop", None),
        (right.pk, "shop", None),
        (foreign.pk, "shop", None),
        (private.pk, "Shop", None),
        (shared.pk, "shop", team.pk),
    }
    assert Learning.objects.get(user=charlie).project == private
    all_rows_are_in(right)


def fill(user: User, first: Project, second: Project, right: Project) -> None:
    """An entry, learnings of one wording in all and of another in the second, clusterings and observers."""
    receive(user, first, [body()])
    for project in (first, second, right):
        learned(user, project, "The cache must be emptied before the import.")
    learned(user, second, "The import needs the network and a token of the shop.")
    for project, versions in ((first, [1]), (right, [1, 2])):
        Clustering.objects.create(axis="full", user=user, project=project)
        for version in versions:
            config: dict[str, Any] = {"body": {"of": project.key}, "made_at": timezone.now()}
            ObserverConfig.objects.create(project=project, version=version, **config)


def all_rows_are_in(right: Project) -> None:
    learnings = Learning.objects.filter(user=right.owner)
    assert set(learnings.values_list("project", flat=True)) == {right.pk}
    assert (learnings.count(), LearningIdentity.objects.filter(project=right).count()) == (4, 2)
    assert Entry.objects.get().project == right
    assert set(Record.objects.filter(user=right.owner).values_list("project", flat=True)) == {right.pk}
    assert Clustering.objects.get().project == right
    configs = ObserverConfig.objects.order_by("version")
    assert [row.body["of"] for row in configs] == ["SHOP", "shop", "shop"]


@pytest.mark.parametrize("key", ["a\x00b\u2028c", "A\ud800B c"])
def test_what_cannot_be_stored_in_a_key_is_replaced(alice: User, key: str) -> None:
    assert project_for(alice, key).key == "a\ufffdb c"
