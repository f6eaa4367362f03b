"""Who sees which clusters, and what the API says."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ghap.clusters import SHOWN_MEMBERS, clusters_of
from ghap.intake import receive
from ghap.models import Clustering, Entry
from memoryserver.accounts.models import Membership, Project, User
from tests.ghap.failures import FAILURES, clustered, failure, ghap_id
from tests.support.rows.factories import ProjectFactory


def seen(user: User | AnonymousUser, **filters: Any) -> list[tuple[str, ...]]:
    return [tuple(cluster.terms) for cluster in clusters_of(user, **filters).clusters]


def test_private_cluster_is_its_owners_and_a_shared_projects_is_the_teams(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    clustered(alice, None, range(3), terms=("own",))
    clustered(alice, shared_project, range(10, 14), terms=("shared",))

    assert seen(alice) == [("shared",), ("own",)]
    assert seen(bob) == [("shared",)]
    assert seen(charlie) == []
    assert seen(AnonymousUser()) == []


def test_person_who_was_deactivated_sees_none(alice: User) -> None:
    clustered(alice, None, range(3))
    alice.is_active = False
    alice.save()

    assert seen(alice) == []


def test_project_that_is_shared_no_longer_hides_its_clusters_at_once(
    alice: User, bob: User, shared_project: Project
) -> None:
    clustered(alice, shared_project, range(3))
    shared_project.owner, shared_project.team = alice, None
    shared_project.save()

    assert (seen(alice), seen(bob)) == ([], [])


def test_person_who_left_the_team_sees_its_clusters_no_longer(alice: User, bob: User, shared_project: Project) -> None:
    clustered(bob, shared_project, range(3))
    Membership.objects.filter(user=bob).delete()

    assert (seen(alice), seen(bob)) == ([("zone",)], [])


def test_cluster_with_one_entry_that_went_private_is_hidden_from_the_others(
    alice: User, bob: User, shared_project: Project
) -> None:
    clustered(alice, shared_project, range(3))
    receive(alice, None, [failure(1, FAILURES["time zone"][0])])

    assert (seen(alice), seen(bob)) == ([("zone",)], [])


def test_cluster_whose_entries_are_all_gone_is_not_shown(alice: User) -> None:
    clustered(alice, None, range(3))
    Entry.objects.all().delete()

    assert seen(alice) == []


def test_filters_narrow_by_axis_and_project(alice: User, shared_project: Project) -> None:
    clustered(alice, None, range(3), terms=("one",))
    clustered(alice, None, range(10, 14), axis="root_cause", terms=("two",))
    clustered(alice, shared_project, range(20, 25), terms=("three",))

    assert seen(alice) == [("three",), ("two",), ("one",)]
    assert seen(alice, axis="surprise") == [("three",), ("one",)]
    assert seen(alice, project=shared_project.key) == [("three",)]
    assert seen(alice, project="no such") == []
    assert seen(alice, limit=1) == [("three",)]


def test_scope_says_when_it_was_made_and_that_entries_were_left_out(alice: User) -> None:
    cluster = clustered(alice, None, range(3))
    Clustering.objects.filter(pk=cluster.clustering_id).update(total=7000, considered=5000)

    (scope,) = clusters_of(alice).scopes

    assert (scope.user, scope.project, scope.axis) == ("alice", None, "surprise")
    assert scope.note == "based on the newest 5000 of 7000 entries"


def test_scope_that_no_job_has_looked_at_yet_is_not_there(alice: User) -> None:
    Clustering.objects.create(axis="surprise", user=alice)

    assert clusters_of(alice).scopes == []


def test_large_cluster_shows_its_most_central_members_and_its_size(alice: User) -> None:
    clustered(alice, None, range(SHOWN_MEMBERS + 5))

    (cluster,) = clusters_of(alice).clusters

    assert cluster.size == SHOWN_MEMBERS + 5
    assert [member.entry for member in cluster.members] == [ghap_id(number) for number in range(SHOWN_MEMBERS)]


def test_medoid_that_was_sent_again_without_the_axis_has_no_text(alice: User) -> None:
    clustered(alice, None, range(3))
    outcome = {"status": "confirmed", "result": "after all", "captured_at": "2026-11-21T10:00:00Z"}
    receive(alice, None, [{**failure(0, FAILURES["mock"][0]), "outcome": outcome}])

    assert clusters_of(alice).clusters[0].medoid.text == ""


def test_number_of_queries_does_not_depend_on_the_number_of_clusters(alice: User, shared_project: Project) -> None:
    counts = []
    for first, project in ((0, None), (10, shared_project), (20, ProjectFactory(owner=alice))):
        clustered(alice, project, range(first, first + 4))
        with CaptureQueriesContext(connection) as queries:
            clusters_of(alice)
        counts.append(len(queries))

    assert counts == [3, 3, 3]
