"""The nightly job: which clusters it leaves behind."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import TestCase
from django.utils import timezone
from django_q.models import OrmQ

from ghap import clustering, jobs
from ghap.grouping import groups
from ghap.intake import receive
from ghap.models import Cluster, Clustering, ClusterMember, Entry
from memoryserver.accounts.models import Project, User
from memoryserver.embedding.onnx.service import OnnxService
from tests.ghap.failures import FAILURES, SubjectEmbedder, failure, failures, ghap_id
from tests.support.rows.factories import ProjectFactory


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that knows the subjects of the failures."""
    monkeypatch.setattr(jobs, "service", SubjectEmbedder)
    monkeypatch.setattr("ghap.intake.service", SubjectEmbedder)


def stored(user: User, project: Project | None, entries: list[dict[str, Any]]) -> None:
    receive(user, project, entries)
    jobs.persist_pending()


def run() -> int:
    """The job, as if half a day had passed."""
    Clustering.objects.update(attempted_at=timezone.now() - timedelta(hours=13))
    return jobs.find_clusters()


def found(axis: str = "surprise") -> dict[str, list[str]]:
    """The members of each cluster by its first term, in the order of their ids."""
    return {
        cluster.terms[0]: sorted(member.entry.ghap_id for member in cluster.members.select_related("entry"))
        for cluster in Cluster.objects.filter(clustering__axis=axis)
    }


def ids(first: int, count: int) -> list[str]:
    return [ghap_id(number) for number in range(first, first + count)]


def test_failures_of_one_kind_are_a_cluster_and_odd_ones_in_none(alice: User) -> None:
    stored(alice, None, failures("time zone", "mock", odd=True))

    assert run() == 2

    assert found("surprise") == {"mock": ids(4, 4), "utc": ids(0, 4)}


def test_real_model_finds_the_subjects_and_names_them(
    alice: User, real_model: OnnxService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "service", lambda: real_model)
    monkeypatch.setattr("ghap.intake.service", lambda: real_model)
    stored(alice, None, failures("time zone", "mock", "index", odd=True))

    run()

    medoids = ClusterMember.objects.filter(rank=1, cluster__clustering__axis="surprise")
    subjects = [subject for subject, told in FAILURES.items() for _ in told]
    named = {
        subjects[int(medoid.entry.ghap_id.split("_")[2])]: {"zone", "utc", "mock", "index"} & set(medoid.cluster.terms)
        for medoid in medoids
    }
    assert named == {"time zone": {"zone", "utc"}, "mock": {"mock"}, "index": {"index"}}
    odd = ClusterMember.objects.filter(entry__ghap_id__in=ids(len(subjects), 4))
    assert list(odd) == []


def test_entries_without_a_surprise_or_a_root_cause_are_in_no_cluster_of_it(alice: User) -> None:
    entries = failures("time zone", "mock")
    for entry in entries[:4]:
        del entry["root_cause"]
    stored(alice, None, entries)

    run()

    considered = dict(Clustering.objects.values_list("axis", "considered"))
    assert considered == {"surprise": 8, "root_cause": 4}


def test_medoid_is_the_first_member_and_likeness_falls_from_there(alice: User) -> None:
    stored(alice, None, failures("time zone", "mock"))

    run()

    for cluster in Cluster.objects.all():
        likeness = list(cluster.members.values_list("likeness", flat=True))
        assert likeness == sorted(likeness, reverse=True)
        assert list(cluster.members.values_list("rank", flat=True)) == list(range(1, cluster.size + 1))


def test_poor_entries_weigh_less(alice: User) -> None:
    entries = failures("time zone", "mock")
    stored(alice, None, entries)
    Entry.objects.filter(ghap_id__in=ids(0, 4)).update(confidence_tier="bronze")
    Entry.objects.filter(ghap_id__in=ids(4, 4)).update(confidence_tier="gold")

    run()

    weights = Cluster.objects.filter(clustering__axis="surprise").values_list("rank", "weight")
    assert list(weights) == [(1, 4.0), (2, 2.0)]


def test_shared_project_is_one_scope_and_everything_private_is_its_owners(
    alice: User, bob: User, shared_project: Project
) -> None:
    own = ProjectFactory(owner=alice, key="private")
    stored(alice, shared_project, [failure(1, FAILURES["mock"][0])])
    stored(bob, shared_project, [failure(2, FAILURES["mock"][1])])
    stored(alice, own, [failure(3, FAILURES["mock"][2])])
    stored(bob, None, [failure(4, FAILURES["mock"][3])])

    run()

    assert set(Clustering.objects.filter(axis="surprise").values_list("user", "project", "considered")) == {
        (None, shared_project.pk, 2),
        (alice.pk, own.pk, 1),
        (bob.pk, None, 1),
    }


def test_project_that_is_shared_no_longer_becomes_a_scope_for_each_owner(
    alice: User, bob: User, shared_project: Project
) -> None:
    stored(alice, shared_project, failures("time zone", "mock"))
    stored(bob, shared_project, [failure(90, FAILURES["index"][0])])
    run()
    shared_project.owner, shared_project.team = alice, None
    shared_project.save()

    run()

    assert set(Clustering.objects.filter(axis="surprise").values_list("user", "project", "considered")) == {
        (alice.pk, shared_project.pk, 8),
        (bob.pk, shared_project.pk, 1),
    }
    assert set(Cluster.objects.values_list("clustering__user", flat=True)) == {alice.pk}


def test_scope_that_lost_its_entries_loses_its_clusters(alice: User) -> None:
    stored(alice, None, failures("time zone", "mock"))
    run()
    own = ProjectFactory(owner=alice, key="private")
    stored(alice, own, failures("time zone", "mock"))

    run()

    assert set(Clustering.objects.values_list("project", flat=True)) == {own.pk}
    assert set(ClusterMember.objects.values_list("cluster__clustering__project", flat=True)) == {own.pk}


def test_same_input_gives_the_same_clusters_and_costs_nothing(alice: User) -> None:
    stored(alice, None, failures("time zone", "mock", "index", odd=True))
    run()
    before = list(ClusterMember.objects.order_by("pk").values())
    computed = timezone.now()

    assert run() == 0
    assert list(ClusterMember.objects.order_by("pk").values()) == before
    assert not Clustering.objects.filter(computed_at__lte=computed).exists()

    Clustering.objects.update(input_digest="")
    assert run() == 2
    again = ClusterMember.objects.order_by("pk").values_list("entry", "rank", "likeness", "cluster__rank")
    assert list(again) == [
        (row["entry_id"], row["rank"], row["likeness"], rank)
        for row, (rank,) in zip(before, ClusterMember.objects.order_by("pk").values_list("cluster__rank"), strict=True)
    ]


def test_new_entry_replaces_the_clusters_of_its_scope_alone(alice: User, bob: User) -> None:
    stored(alice, None, failures("time zone", "mock"))
    stored(bob, None, failures("time zone", "mock"))
    run()
    untouched = set(Cluster.objects.filter(clustering__user=bob).values_list("pk", flat=True))
    stored(alice, None, [failure(50, FAILURES["index"][0])])

    assert run() == 2

    assert set(Cluster.objects.filter(clustering__user=bob).values_list("pk", flat=True)) == untouched
    assert Clustering.objects.get(user=alice, axis="surprise").considered == 9


def test_only_the_newest_go_in_and_it_is_told_how_many_there_are(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = failures("time zone", "mock")
    for hour, entry in enumerate(entries):
        entry["created_at"] = f"2026-11-{20 - hour:02d}T10:00:00Z"
    stored(alice, None, entries)
    monkeypatch.setattr(clustering, "LIMIT", 5)

    run()

    row = Clustering.objects.get(axis="surprise")
    assert (row.considered, row.total) == (5, 8)
    assert set(ClusterMember.objects.values_list("entry__ghap_id", flat=True)) <= set(ids(0, 5))


def test_scope_is_tried_once_a_night_even_if_it_kills_its_worker(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dying worker is stood for by an exception that nobody catches."""
    stored(alice, None, failures("time zone", "mock"))
    tried = []

    def die(row: Clustering) -> bool:
        tried.append(row.axis)
        raise SystemExit

    monkeypatch.setattr(clustering, "compute", die)
    for _ in range(2):
        with pytest.raises(SystemExit):
            jobs.find_clusters()

    assert (sorted(tried), jobs.find_clusters()) == (["root_cause", "surprise"], 0)


def test_job_that_takes_too_long_leaves_the_rest_to_another(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(alice, None, failures("time zone", "mock"))
    monkeypatch.setattr(jobs, "CLUSTERING_SECONDS", 0.0)

    changed, enqueued = [], []
    for _ in range(3):
        with TestCase.captureOnCommitCallbacks(execute=True):
            changed.append(jobs.find_clusters())
        enqueued += [task.name() for task in OrmQ.objects.all()]
        OrmQ.objects.all().delete()

    assert (changed, enqueued) == ([1, 1, 0], [jobs.CLUSTERS_JOB] * 2)


def test_entry_that_is_deleted_meanwhile_is_left_out(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(alice, None, failures("time zone", "mock"))

    def delete_one(*args: Any) -> Any:
        result = groups(*args)
        Entry.objects.filter(ghap_id=ghap_id(0)).delete()
        return result

    monkeypatch.setattr(clustering, "groups", delete_one)
    run()

    sizes = Cluster.objects.filter(clustering__axis="surprise").values_list("size", flat=True)
    assert sorted(sizes) == [3, 4]


def test_nothing_persisted_means_nothing_to_do(db: None) -> None:
    assert jobs.find_clusters() == 0
