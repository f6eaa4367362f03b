"""A project gets another key: its rows stay, its old address leads to it, and nobody sees more than before unasked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test import Client

from capture import sink
from capture.deliveries import IncomingLearning
from capture.models import Learning
from memoryserver.accounts import projects, renaming, sharing
from memoryserver.accounts.models import Project, ProjectAlias, Team, User
from memoryserver.errors import InvalidInputError
from memoryserver.search.ordering import preference
from memoryserver.search.scope import Search
from memoryserver.search.service import search
from tests.support.rows.factories import ProjectFactory, TeamFactory

OLD, NEW = "github.com/crew/shop", "github.com/store/shop"


@pytest.fixture
def crew(alice: User, bob: User) -> Team:
    """The team that Alice leads and Bob is in."""
    return alice.teams.get()


@pytest.fixture
def shop(shared_project: Project) -> Project:
    """The team's project, with the old key."""
    Project.objects.filter(pk=shared_project.pk).update(key=OLD)
    return Project.objects.get(pk=shared_project.pk)


def learn(user: User, project: Project, content: str) -> Learning:
    learning, _ = sink.store_by_hand(user, project, IncomingLearning("gotcha", content, 1.0, 0))
    assert learning is not None
    return learning


def aliases(project: Project) -> list[str]:
    return list(project.aliases.values_list("key", flat=True))


def test_lead_renames_the_teams_project_and_both_keys_lead_to_it(alice: User, bob: User, shop: Project) -> None:
    learning = learn(bob, shop, "The cache must be emptied before the import.")

    assert renaming.rename(OLD, NEW, alice) == shop
    shop.refresh_from_db()
    assert (shop.key, aliases(shop)) == (NEW, [OLD])
    assert [projects.project_for(user, key) for user in (alice, bob) for key in (OLD, NEW)] == [shop] * 4
    assert Learning.objects.get().project == learning.project == shop
    assert Project.objects.count() == 1


def test_rename_of_what_was_renamed_changes_nothing(alice: User, bob: User, shop: Project) -> None:
    renaming.rename(OLD, NEW, alice)

    assert renaming.rename(OLD, NEW, bob) == shop
    assert aliases(shop) == [OLD]


@pytest.mark.parametrize("new", ["", " \n", OLD, OLD.upper()])
def test_no_new_key_is_refused(new: str, alice: User, shop: Project) -> None:
    with pytest.raises(InvalidInputError, match=r"^new_key: "):
        renaming.rename(OLD, new, alice)


def test_member_and_stranger_rename_nothing(bob: User, charlie: User, shop: Project) -> None:
    with pytest.raises(PermissionDenied, match=r"^only a lead of team .* may rename its project github.com/crew/shop$"):
        renaming.rename(OLD, NEW, bob)
    with pytest.raises(Project.DoesNotExist, match=r"^you see no project 'github.com/crew/shop'$"):
        renaming.rename(OLD, NEW, charlie)
    shop.refresh_from_db()
    assert (shop.key, ProjectAlias.objects.count()) == (OLD, 0)


def test_owner_renames_a_private_project_for_themselves_alone(alice: User, charlie: User) -> None:
    own, others = (ProjectFactory(owner=user, key=OLD) for user in (alice, charlie))

    assert renaming.rename(OLD, NEW, alice) == own
    assert [projects.known_project(charlie, key) for key in (OLD, NEW)] == [others, None]


def test_name_of_a_folder_is_no_alias_since_the_next_folder_may_have_it(alice: User) -> None:
    own = ProjectFactory(owner=alice, key="shop")
    renaming.rename("shop", NEW, alice)

    assert (projects.known_project(alice, NEW), projects.known_project(alice, "shop")) == (own, None)


def test_project_of_the_new_key_takes_in_the_old_ones_rows_and_aliases(alice: User) -> None:
    old, new = (ProjectFactory(owner=alice, key=key) for key in ("github.com/first/shop", NEW))
    learn(alice, old, "The cache must be emptied before the import.")
    learn(alice, new, "The import runs at night.")
    renaming.rename(old.key, OLD, alice)

    assert renaming.rename(OLD, NEW, alice) == new
    assert list(Project.objects.all()) == [new]
    assert aliases(new) == [OLD, "github.com/first/shop"]
    assert set(Learning.objects.values_list("project", flat=True)) == {new.pk}


def test_rename_back_leaves_no_alias_in_the_way(alice: User, shop: Project) -> None:
    renaming.rename(OLD, NEW, alice)
    renaming.rename(NEW, OLD, alice)

    assert (Project.objects.get().key, aliases(shop)) == (OLD, [NEW])


def test_private_rows_under_the_new_key_are_shared_only_if_that_is_said(
    alice: User, bob: User, crew: Team, shop: Project
) -> None:
    """Alice's laptop made a private project of the new key when it had the new remote."""
    own = ProjectFactory(owner=alice, key=NEW)
    learn(alice, own, "The import runs at night.")
    said = (
        f"^the members of team {crew} would see what is in your private project {NEW}; memory projects rename --share"
    )

    with pytest.raises(renaming.WouldShareError, match=said):
        renaming.rename(OLD, NEW, alice)
    shop.refresh_from_db()
    assert (shop.key, Learning.objects.get().project) == (OLD, own)

    assert renaming.rename(OLD, NEW, alice, share=True) == shop
    assert [projects.known_project(user, key) for user in (alice, bob) for key in (OLD, NEW)] == [shop] * 4
    assert Learning.objects.get().project == shop


def test_member_brings_their_own_rows_over_once_a_lead_has_renamed_it(alice: User, bob: User, shop: Project) -> None:
    own = ProjectFactory(owner=bob, key=NEW)
    learn(bob, own, "The import runs at night.")
    with pytest.raises(renaming.WouldShareError):
        renaming.rename(OLD, NEW, bob)
    with pytest.raises(PermissionDenied):
        renaming.rename(OLD, NEW, bob, share=True)
    renaming.rename(OLD, NEW, alice)

    assert renaming.rename(OLD, NEW, bob, share=True) == shop
    assert Learning.objects.get().project == shop


def test_private_project_with_a_first_remote_joins_the_teams(bob: User, crew: Team) -> None:
    target, own = ProjectFactory(team=crew, key=NEW), ProjectFactory(owner=bob, key="shop")
    learn(bob, own, "The import runs at night.")
    with pytest.raises(renaming.WouldShareError):
        renaming.rename("shop", NEW, bob)

    assert renaming.rename("shop", NEW, bob, share=True) == target
    assert (Learning.objects.get().project, Project.objects.get(), aliases(target)) == (target, target, [])


def test_own_projects_of_both_keys_stay_private_beside_the_teams(bob: User, crew: Team) -> None:
    ProjectFactory(team=crew, key=NEW)
    own = [ProjectFactory(owner=bob, key=key) for key in (OLD, NEW)]

    assert renaming.rename(OLD, NEW, bob) == own[1]
    assert Project.objects.get(owner=bob) == own[1]


def test_private_project_that_was_renamed_comes_before_the_teams_of_its_old_key(bob: User, shop: Project) -> None:
    own = ProjectFactory(owner=bob, key=OLD)
    renaming.rename(OLD, NEW, bob)

    assert projects.project_for(bob, OLD) == own
    assert [projects.visible_key(bob, key) for key in (OLD, NEW)] == [OLD, NEW]


def test_project_that_has_a_key_comes_before_one_that_had_it(alice: User, shop: Project) -> None:
    renaming.rename(OLD, NEW, alice)
    other = ProjectFactory(team=TeamFactory(people=[alice]), key=OLD)

    assert projects.known_project(alice, OLD) == other


def test_alias_follows_into_another_team(alice: User, shop: Project) -> None:
    renaming.rename(OLD, NEW, alice)
    other = TeamFactory(people=[alice])
    target = ProjectFactory(team=other, key=NEW)

    assert sharing.move(Project.objects.get(pk=shop.pk), other, alice) == target
    assert aliases(target) == [OLD]


def test_laptops_of_all_who_see_it_fetch_the_context_again(
    alice: User, bob: User, charlie: User, shop: Project
) -> None:
    renaming.rename(OLD, NEW, alice)
    versions = [User.objects.get(pk=user.pk).context_version for user in (alice, bob, charlie)]
    assert versions == [1, 1, 0]


def test_old_address_asks_for_the_memory_of_the_project(
    alice: User, bob: User, shop: Project, api: Callable[[User | None], Client]
) -> None:
    learn(bob, shop, "The cache must be emptied before the import.")
    renaming.rename(OLD, NEW, alice)
    ask = {"project": OLD}
    client = api(bob)
    context = client.get("/api/v1/context", ask).json()
    counts = {
        "learnings": len(client.get("/api/v1/learnings", ask).json()["learnings"]),
        "found": client.get("/api/v1/search", {"q": "cache", "mode": "lexical", **ask}).json()["found"],
        "entries": client.get("/api/v1/ghap/entries", ask).status_code,
        "export": client.get("/api/v1/export", ask).status_code,
        "page": client.get("/api/v1/context/explanation", ask).json()["project"],
    }

    assert (context["project"], "emptied before the import" in context["text"]) == (NEW, True)
    assert counts == {"learnings": 1, "found": 1, "entries": 200, "export": 200, "page": NEW}


def test_search_from_the_old_address_prefers_the_project(alice: User, shop: Project) -> None:
    there = ProjectFactory(owner=alice, key="github.com/other/cellar")
    for project, place in ((there, "cellar"), (shop, "attic")):
        learn(alice, project, f"The cache of the {place} is emptied.")
    renaming.rename(OLD, NEW, alice)
    hits = search(alice, Search("cache emptied", mode="lexical", here=OLD)).hits

    assert [hit.project for hit in hits] == [NEW, "github.com/other/cellar"]
    assert preference.of_project([], OLD) == []


@pytest.mark.django_db(transaction=True)
def test_two_who_rename_at_once_make_one_project(alice: User, shop: Project) -> None:
    results: list[Any] = []

    def rename() -> None:
        try:
            results.append(renaming.rename(OLD, NEW, alice))
        finally:
            connection.close()

    threads = [threading.Thread(target=rename) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == [shop] * 4
    assert (Project.objects.get().key, aliases(shop)) == (NEW, [OLD])
