"""The recount: which failures it continues, finds and lets go, and when a solved one has regressed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from ghap.intake import receive
from ghap.models import Cluster, Clustering, ClusterMember, Entry, Failure
from ghap.recurring import recount
from memoryserver.accounts import sharing
from memoryserver.accounts.models import Project, User
from obslog.models import Observation
from tests.ghap.failures import FAILURES, failure, ghap_id
from tests.support.rows.factories import ProjectFactory, TeamFactory

NOW = timezone.now()


def entries(user: User, numbers: Sequence[int], project: Project | None = None) -> None:
    """Store entries that were resolved as many days ago as their numbers say."""
    receive(user, project, [failure(number, FAILURES["time zone"][0]) for number in numbers])
    for number in numbers:
        Entry.objects.filter(ghap_id=ghap_id(number)).update(captured_at=NOW - timedelta(days=number))


def cluster(
    user: User, *groups: Sequence[int], axis: str = "surprise", project: Project | None = None, weight: float = 3.0
) -> None:
    """Store these groups of entries as the clusters of their scope, in place of what was there."""
    owner = None if project and project.team_id else user
    clustering, _ = Clustering.objects.get_or_create(axis=axis, user=owner, project=project)
    clustering.clusters.all().delete()
    for rank, numbers in enumerate(groups, start=1):
        row = Cluster.objects.create(
            clustering=clustering, rank=rank, size=len(numbers), weight=weight - rank / 100, terms=[f"term{numbers[0]}"]
        )
        for place, number in enumerate(numbers, start=1):
            entry = Entry.objects.get(ghap_id=ghap_id(number))
            ClusterMember.objects.create(cluster=row, entry=entry, rank=place, likeness=0.9)


def members(row: Failure) -> list[int]:
    return [int(entry.split("_")[2]) for entry in row.members.values_list("entry__ghap_id", flat=True)]


def scope_of(row: Failure) -> tuple[int | None, int | None]:
    return row.user_id, row.project_id


def test_cluster_becomes_an_open_failure_with_its_entries(alice: User) -> None:
    entries(alice, [3, 1, 2])
    cluster(alice, [3, 1, 2])

    recount.recount(alice.pk, None)

    row = Failure.objects.get()
    assert (row.state, row.size, row.terms, members(row)) == ("open", 3, ["term3"], [3, 1, 2])
    assert row.example
    assert row.example.ghap_id == ghap_id(3)
    assert (row.first_seen, row.last_seen) == (NOW - timedelta(days=3), NOW - timedelta(days=1))


def test_surprise_and_root_cause_of_the_same_entries_are_one_failure(alice: User) -> None:
    entries(alice, range(1, 8))
    cluster(alice, [1, 2, 3, 4])
    cluster(alice, [3, 4, 5], [6, 7, 5], axis="root_cause", weight=2.0)

    recount.recount(alice.pk, None)

    assert sorted(members(row) for row in Failure.objects.all()) == [[1, 2, 3, 4, 5], [6, 7, 5]]


def test_name_and_state_survive_when_a_cluster_grows_and_its_order_changes(alice: User) -> None:
    entries(alice, range(1, 9))
    cluster(alice, [1, 2, 3], [4, 5, 6])
    recount.recount(alice.pk, None)
    Failure.objects.filter(terms=["term4"]).update(name="Clocks", state="known")
    before = dict(Failure.objects.values_list("pk", "name"))

    cluster(alice, [7, 6, 5, 8], [2, 1, 3])
    recount.recount(alice.pk, None)

    assert dict(Failure.objects.values_list("pk", "name")) == before
    row = Failure.objects.get(name="Clocks")
    assert (row.state, members(row)) == ("known", [7, 6, 5, 8])


def test_cluster_that_splits_leaves_its_name_to_the_larger_part(alice: User) -> None:
    entries(alice, range(1, 9))
    cluster(alice, [1, 2, 3, 4, 5, 6, 7])
    recount.recount(alice.pk, None)
    Failure.objects.update(name="Clocks")

    cluster(alice, [5, 6, 7], [1, 2, 3, 4])
    recount.recount(alice.pk, None)

    assert {row.name: members(row) for row in Failure.objects.all()} == {"Clocks": [1, 2, 3, 4], "": [5, 6, 7]}


def test_failure_without_a_cluster_is_gone_and_says_where_its_entries_are(alice: User) -> None:
    entries(alice, range(1, 9))
    cluster(alice, [1, 2, 3, 4], [5, 6, 7])
    recount.recount(alice.pk, None)
    first, second = Failure.objects.order_by("-size")

    cluster(alice, [1, 2, 3, 4, 5, 6, 7])
    recount.recount(alice.pk, None)

    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.gone_at, second.gone_at is not None, second.continued_in) == (None, True, first)
    assert members(second) == [5, 6, 7]

    cluster(alice, [1, 2, 3, 4], [5, 6, 7])
    recount.recount(alice.pk, None)

    second.refresh_from_db()
    assert (second.gone_at, second.continued_in) == (None, None)


def test_solved_failure_regresses_with_an_entry_resolved_later(alice: User) -> None:
    entries(alice, range(9))
    cluster(alice, [4, 5, 6])
    recount.recount(alice.pk, None)
    Failure.objects.update(state="solved", state_since=NOW - timedelta(days=2), state_by=alice)

    cluster(alice, [4, 5, 6, 3, 8])  # the new ones are older than the solution, and were only sent later
    recount.recount(alice.pk, None)
    assert Failure.objects.get().state == "solved"

    cluster(alice, [4, 5, 6, 1])
    recount.recount(alice.pk, None)

    row = Failure.objects.get()
    assert (row.state, row.state_by, row.state_since) == ("regressed", None, NOW - timedelta(days=1))
    logged = Observation.objects.get(type="ghap.failure_regressed")
    assert (logged.user_id, logged.scope_ids) == (alice.pk, [f"failure:{row.pk}"])


def test_known_failure_stays_known_when_it_happens_again(alice: User) -> None:
    entries(alice, range(1, 6))
    cluster(alice, [3, 4, 5])
    recount.recount(alice.pk, None)
    Failure.objects.update(state="known", state_since=NOW - timedelta(days=2))

    cluster(alice, [3, 4, 5, 1])
    recount.recount(alice.pk, None)

    assert Failure.objects.get().state == "known"


def test_recount_of_one_scope_leaves_the_others(alice: User, bob: User) -> None:
    entries(alice, [1, 2, 3])
    cluster(alice, [1, 2, 3])
    recount.recount(alice.pk, None)

    recount.recount(bob.pk, None)

    assert Failure.objects.get().gone_at is None


def test_failure_follows_its_project_into_a_team(alice: User) -> None:
    own, team = ProjectFactory(owner=alice, key="shop"), TeamFactory(people=[alice])
    entries(alice, [1, 2, 3], own)
    cluster(alice, [1, 2, 3], project=own)
    recount.recount(alice.pk, own.pk)
    Failure.objects.update(name="Clocks")
    ProjectFactory(team=team, key="shop")

    target = sharing.move(own, team, alice)
    assert scope_of(Failure.objects.get()) == (None, target.pk)

    cluster(alice, [1, 2, 3], project=target)
    recount.recount(None, target.pk)

    row = Failure.objects.get()
    assert (row.name, row.gone_at, *scope_of(row)) == ("Clocks", None, None, target.pk)


def test_project_moved_without_a_merge_keeps_its_failure(alice: User) -> None:
    own, team = ProjectFactory(owner=alice, key="shop"), TeamFactory(people=[alice])
    entries(alice, [1, 2, 3], own)
    cluster(alice, [1, 2, 3], project=own)
    recount.recount(alice.pk, own.pk)
    before = Failure.objects.get().pk

    target = sharing.move(own, team, alice)
    cluster(alice, [1, 2, 3], project=target)
    recount.recount(None, target.pk)

    row = Failure.objects.get()
    assert (row.pk, row.gone_at, *scope_of(row)) == (before, None, None, target.pk)


def test_failure_of_deleted_entries_is_forgotten(alice: User) -> None:
    entries(alice, [1, 2, 3])
    cluster(alice, [1, 2, 3])
    recount.recount(alice.pk, None)
    recount.forget_empty()
    assert Failure.objects.count() == 1

    Entry.objects.all().delete()
    recount.forget_empty()

    assert Failure.objects.count() == 0
