"""What the models of the journal add to their fields: constraints, order, texts and the entry's class."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from ghap.intake import receive
from ghap.local import ConfidenceTier
from ghap.models import Cluster, Clustering, ClusterMember, Entry
from memoryserver.accounts.models import Project, User
from tests.ghap.failures import clustered
from tests.support.rows.ghap_entries import body, entry, falsified


@pytest.fixture
def row(alice: User) -> Entry:
    receive(alice, None, [body()])
    return Entry.objects.get()


def test_entry_is_the_journals_class(row: Entry) -> None:
    assert (str(row), row.entry) == (body()["id"], entry())


def test_lesson_is_that_of_the_entry_and_none_without_one(row: Entry) -> None:
    assert row.lesson is None
    row.body = falsified()
    assert (row.lesson, row.lesson is None) == (row.entry.lesson, False)


@pytest.mark.parametrize(("tier", "expected"), [("bronze", ConfidenceTier.BRONZE), ("", None)])
def test_assessed_entry_has_the_tier_that_counts(row: Entry, tier: str, expected: ConfidenceTier | None) -> None:
    row.confidence_tier = tier

    assert (row.assessed_entry.confidence_tier, row.entry.confidence_tier) == (expected, ConfidenceTier.SILVER)


def test_entry_exists_once_for_its_user(row: Entry, bob: User) -> None:
    receive(bob, None, [body()])
    row.pk = None

    with pytest.raises(IntegrityError, match="ghap_entry_once"), transaction.atomic():
        row.save(force_insert=True)


def test_clustering_exists_once_for_its_axis_user_and_project(alice: User, shared_project: Project) -> None:
    scopes: list[dict[str, Any]] = [{"user": alice}, {"project": shared_project}]
    for scope in scopes:
        Clustering.objects.create(axis="surprise", **scope)
        Clustering.objects.create(axis="root_cause", **scope)

    for scope in scopes:
        with pytest.raises(IntegrityError, match="ghap_clustering_once"), transaction.atomic():
            Clustering.objects.create(axis="surprise", **scope)


def test_clustering_without_a_user_and_a_project_is_rejected(db: None) -> None:
    with pytest.raises(IntegrityError, match="ghap_clustering_scope"), transaction.atomic():
        Clustering.objects.create(axis="surprise")


def test_members_are_ordered_by_their_rank_which_exists_once(alice: User) -> None:
    cluster = clustered(alice, None, range(3))
    first = cluster.members.earliest("rank")

    assert [member.rank for member in cluster.members.all()] == [1, 2, 3]
    with pytest.raises(IntegrityError, match="ghap_cluster_member_rank"), transaction.atomic():
        ClusterMember.objects.create(cluster=cluster, entry=first.entry, rank=1, likeness=0.5)


def test_deleted_entry_leaves_its_cluster_without_it(alice: User) -> None:
    cluster = clustered(alice, None, range(3))
    Entry.objects.earliest("ghap_id").delete()

    assert (cluster.members.count(), Cluster.objects.count()) == (2, 1)


def test_rows_are_shown_by_what_names_them(alice: User, shared_project: Project) -> None:
    assert str(Clustering(axis="surprise", user=alice)) == "surprise of alice"
    assert str(Clustering(axis="surprise", project=shared_project)) == f"surprise of {shared_project}"
    assert str(Cluster(terms=["disk", "full"])) == "disk, full"
    assert str(ClusterMember(rank=2, entry=Entry(ghap_id="ghap_1"))) == "2: ghap_1"
