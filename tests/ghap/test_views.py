"""The journal's pages: for whom they are, what they say, and what odd addresses do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from ghap.intake import receive
from ghap.models import Cluster, Clustering, ClusterMember, Entry
from memoryserver.accounts.models import Project, User
from tests.support.ghap_entries import body, falsified


def numbered(number: int, **changes: Any) -> dict[str, Any]:
    return falsified(id=f"ghap_20261120_1430{number:02d}_a1b2c3", goal=f"Goal {number}", **changes)


def clustered(project: Project, terms: Sequence[str] = ("disk", "full")) -> Cluster:
    """All entries that there are, as one cluster of surprises in `project`."""
    clustering = Clustering.objects.create(axis="surprise", project=project, computed_at=timezone.now())
    entries = list(Entry.objects.order_by("ghap_id"))
    cluster = Cluster.objects.create(
        clustering=clustering, rank=1, size=len(entries), weight=1.0 * len(entries), terms=list(terms)
    )
    for rank, entry in enumerate(entries, 1):
        ClusterMember.objects.create(cluster=cluster, entry=entry, rank=rank, likeness=0.9)
    return cluster


def show(user: User | None, path: str, *, htmx: bool = False, **query: Any) -> tuple[int, str]:
    client = Client(headers={"hx-request": "true"} if htmx else {})
    if user is not None:
        client.force_login(user)
    answer = client.get(path, query)
    return answer.status_code, answer.content.decode()


@pytest.fixture
def entries(alice: User, shared_project: Project) -> Cluster:
    receive(alice, shared_project, [*(numbered(number) for number in range(3))])
    cluster = clustered(shared_project)
    receive(alice, shared_project, [body(domain="testing")])
    return cluster


def paths(cluster: Cluster) -> list[str]:
    entry = Entry.objects.order_by("ghap_id")[0]
    return ["/strategies/", "/clusters/", f"/clusters/{cluster.pk}/", f"/entries/{entry.pk}/"]


def test_owner_and_mate_see_the_pages_and_a_stranger_nothing_of_what_is_in_them(
    entries: Cluster, alice: User, bob: User, charlie: User
) -> None:
    telling = ("systematic-elimination", "No lock was held", "Goal 1", "Goal 0")
    for user, codes in ((alice, [200] * 4), (bob, [200] * 4), (charlie, [200, 200, 404, 404])):
        answers = [show(user, path) for path in paths(entries)]
        assert [code for code, _ in answers] == codes
        assert [words in page for words, (_, page) in zip(telling, answers, strict=True)] == [user != charlie] * 4


def test_nobody_is_sent_to_sign_in(entries: Cluster) -> None:
    assert [show(None, path)[0] for path in paths(entries)] == [302] * 4


def test_strategies_are_counted_over_all_and_by_domain(entries: Cluster, alice: User) -> None:
    _, page = show(alice, "/strategies/")

    assert "25 % came true" in page
    assert "1 confirmed, 3 falsified, 0 abandoned" in page
    assert '<th scope="row">testing</th>' in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"domain": "testing"}, "100 % came true"),
        ({"project": "github.com/crew/shop"}, "25 % came true"),
        ({"project": "another"}, "No entries here."),
        ({"domain": "cooking"}, "25 % came true"),
        ({"since": "1y"}, "25 % came true"),
        ({"since": "99999y"}, "25 % came true"),
    ],
)
def test_filters_narrow_and_odd_ones_do_not(query: dict[str, Any], said: str, entries: Cluster, alice: User) -> None:
    status, page = show(alice, "/strategies/", **query)

    assert (status, said in page) == (200, True)


def test_htmx_is_given_the_part_that_it_replaces(entries: Cluster, alice: User) -> None:
    for path in paths(entries)[:3]:
        assert "<html" in show(alice, path)[1]
        assert "<html" not in show(alice, path, htmx=True)[1]


def test_clusters_are_narrowed_by_axis_and_project(entries: Cluster, alice: User) -> None:
    found = {
        (axis, project): "No lock was held" in show(alice, "/clusters/", axis=axis, project=project)[1]
        for axis in ("", "surprise", "root_cause", "odd")
        for project in ("", "github.com/crew/shop", "another")
    }

    assert {key for key, there in found.items() if not there} == {
        *((axis, "another") for axis in ("", "surprise", "root_cause", "odd")),
        ("root_cause", ""),
        ("root_cause", "github.com/crew/shop"),
    }


def test_cluster_of_which_a_member_is_no_longer_shared_is_not_there(entries: Cluster, bob: User) -> None:
    Entry.objects.filter(goal="Goal 2").update(project=None)

    assert show(bob, f"/clusters/{entries.pk}/")[0] == 404


def test_cluster_that_does_not_exist_is_not_found(alice: User) -> None:
    assert show(alice, f"/clusters/{10**30}/")[0] == 404
