"""Learnings as exported data."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.serializers.json import DjangoJSONEncoder

from capture import curation, sink
from capture.deliveries import IncomingLearning
from capture.models import Learning
from capture.transfer.learnings import KIND
from memoryserver.accounts.models import User
from memoryserver.search.scope import Search
from memoryserver.search.service import search


@pytest.fixture
def item(alice: User) -> dict[str, Any]:
    """What is exported of a pinned learning."""
    learning, _ = sink.store_by_hand(
        alice, None, IncomingLearning("gotcha", "The cache must be emptied.", 1.0, 0, files=["a.py"])
    )
    assert learning is not None
    curation.change(alice, learning.pk, pinned=True)
    exported: dict[str, Any] = json.loads(json.dumps(KIND.item_of(Learning.objects.get()), cls=DjangoJSONEncoder))
    return exported


def test_learning_is_stored_again_once_and_found(charlie: User, item: dict[str, Any]) -> None:
    assert [KIND.load(charlie, None, [item])[0].status for _ in range(2)] == ["stored", "unchanged"]
    row = Learning.objects.get(user=charlie)
    again = json.loads(json.dumps(KIND.item_of(row), cls=DjangoJSONEncoder))

    assert again == item
    assert [hit.key for hit in search(charlie, Search("cache emptied", mode="lexical")).hits] == [str(row.pk)]


def test_learning_that_was_deleted_here_does_not_come_back(alice: User, item: dict[str, Any]) -> None:
    curation.delete(alice, Learning.objects.get().pk)
    assert KIND.load(alice, None, [item])[0].status == "unchanged"
    assert Learning.objects.count() == 0


def test_hidden_learning_is_stored_and_not_found(charlie: User, item: dict[str, Any]) -> None:
    KIND.load(charlie, None, [item | {"hidden": True}])
    assert Learning.objects.get(user=charlie).hidden
    assert search(charlie, Search("cache emptied", mode="lexical")).hits == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("type", "x"),
        ("content", ""),
        ("confidence", 2),
        ("first_seen", "soon"),
        ("source", "rumour"),
        ("seen_count", 0),
    ],
)
def test_invalid_item_is_refused_with_the_field(alice: User, item: dict[str, Any], field: str, value: object) -> None:
    (outcome,) = KIND.load(alice, None, [item | {field: value}])
    assert (outcome.status, outcome.reason.partition(":")[0]) == ("refused", field)


def test_secret_is_cut_and_what_is_only_a_secret_is_refused(charlie: User, item: dict[str, Any]) -> None:
    token = "ghp_" + "a1B2" * 9
    outcomes = KIND.load(charlie, None, [item | {"content": token}, item | {"content": f"The token is {token}"}])

    assert [outcome.status for outcome in outcomes] == ["refused", "stored"]
    assert Learning.objects.get(user=charlie).content == "The token is [redacted:github-token]"
