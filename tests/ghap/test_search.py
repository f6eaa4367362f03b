"""Entries as a source of search: how a hit is described, and by what it is filtered."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from ghap import reading
from ghap.intake import receive
from ghap.models import Entry
from ghap.search import SOURCE, describe
from memoryserver.accounts.models import Project, User
from memoryserver.search.service import InvalidSearchError, Search, search
from memoryserver.search.sources import Description, source_of
from memoryserver.vectors.models import Record
from tests.support.rows.ghap_entries import body, falsified

OTHER = "ghap_20261120_143023_a1b2c4"


def found(user: User, **filters: str) -> list[str]:
    return [hit.key for hit in search(user, Search("export", source="ghap", mode="lexical", filters=filters)).hits]


def test_source_is_registered_for_the_collection_of_each_axis() -> None:
    names = ["ghap_full", "ghap_strategy", "ghap_surprise", "ghap_root_cause"]

    assert [source_of(name) for name in names] == [SOURCE] * 4
    assert list(SOURCE.collections) == names


def test_hit_on_any_axis_is_described_by_the_goal_and_what_it_taught_first(alice: User) -> None:
    receive(alice, None, [falsified()])
    row = Entry.objects.get()
    records = list(Record.objects.all())
    description = Description(
        title="Stop the export from hanging",
        kind="falsified debugging",
        text=(
            "Lesson: Look at df first\nCause: The disk was full\nSurprise: No lock was held at all\n"
            "Hypothesis: It waits for a lock\nAction: Set lock_timeout\nPrediction: It fails within a minute\n"
            "Outcome: falsified - It still hung"
        ),
        origin={"entry": row.ghap_id, "session": row.session_id, "tier": "silver"},
        size=len(reading.text_of(row)),
        page=reverse("ghap-entry", args=[row.pk]),
    )

    assert describe(records) == {record.pk: description for record in records}
    assert len(records) == 4


def test_same_id_of_two_people_is_described_by_each_ones_own_entry(
    alice: User, bob: User, shared_project: Project
) -> None:
    receive(alice, shared_project, [body()])
    receive(bob, shared_project, [body(goal="Bob's export")])

    records = Record.objects.filter(collection="ghap_full").order_by("user__username")
    titles = describe(list(records))
    assert [titles[record.pk].title for record in records] == ["Stop the export from hanging", "Bob's export"]


def test_deleted_entry_has_no_description(alice: User) -> None:
    receive(alice, None, [body()])
    records = list(Record.objects.all())
    Entry.objects.all().delete()

    assert (len(records), describe(records)) == (2, {})


@pytest.mark.parametrize(
    ("filters", "keys"),
    [
        ({"domain": "testing"}, [OTHER]),
        ({"outcome": "confirmed"}, [body()["id"]]),
        ({"tier": "silver", "strategy": "systematic-elimination"}, [body()["id"]]),
        ({"tier": "gold"}, []),
    ],
    ids=["domain", "outcome", "tier and strategy", "no match"],
)
def test_filters_narrow(alice: User, filters: dict[str, Any], keys: list[str]) -> None:
    other = falsified(id=OTHER, domain="testing", strategy="divide-and-conquer")
    receive(alice, None, [body(), other])

    assert found(alice, **filters) == keys


@pytest.mark.parametrize("name", ["domain", "strategy", "outcome", "tier"])
def test_unknown_value_of_a_filter_is_an_error_that_names_it(alice: User, name: str) -> None:
    with pytest.raises(InvalidSearchError, match=f"unknown {name} 'nonsense'; choose from: "):
        found(alice, **{name: "nonsense"})
