from __future__ import annotations

from memoryserver.accounts import projects
from memoryserver.accounts.models import Project, User
from tests.support.factories import ProjectFactory


def project_for(user: User, key: str) -> Project:
    project = projects.project_for(user, key)
    assert project is not None
    return project


def test_unknown_key_makes_a_private_project(alice: User) -> None:
    project = project_for(alice, "github.com/acme/shop")

    assert (project.owner, project.key, project.team) == (alice, "github.com/acme/shop", None)


def test_known_key_gives_the_same_project(alice: User) -> None:
    assert project_for(alice, "shop") == project_for(alice, "shop")


def test_blank_key_gives_no_project(alice: User) -> None:
    assert projects.project_for(alice, " \n ") is None
    assert Project.objects.count() == 0


def test_key_of_a_mates_shared_project_gives_that_one(bob: User, shared_project: Project) -> None:
    assert project_for(bob, shared_project.key) == shared_project


def test_key_of_a_strangers_project_makes_ones_own(charlie: User, shared_project: Project) -> None:
    assert project_for(charlie, shared_project.key).owner == charlie


def test_ones_own_project_comes_before_a_mates(bob: User, shared_project: Project) -> None:
    own = ProjectFactory(owner=bob, key=shared_project.key)

    assert project_for(bob, shared_project.key) == own


def test_key_that_is_too_long_is_cut_and_found_again(alice: User) -> None:
    first = project_for(alice, "k" * 1000)

    assert first.key == "k" * 255
    assert project_for(alice, "k" * 1000) == first
