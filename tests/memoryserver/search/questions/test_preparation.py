"""What a search asks before it ranks."""

from __future__ import annotations

from typing import Any

from memoryserver.accounts.models import User
from memoryserver.search import plan
from memoryserver.search.plan import Scope
from memoryserver.search.questions.preparation import SearchedCollection, prepare
from memoryserver.vectors.models import Record
from tests.memoryserver.search.notes import put


def test_one_statement_has_the_facts_the_collections_that_exist_and_the_heads_of_the_scope(
    alice: User, bob: User, django_assert_num_queries: Any
) -> None:
    put(alice, "one", "Marcus: the worker hangs")
    put(alice, "two", "ask Marcus", collection="notes_b")
    put(bob, "three", "Marcus is elsewhere")
    scope, names = Scope.of(Record.objects.filter(user=alice)), ["notes_b", "notes_a", "notes_none"]

    with django_assert_num_queries(1):
        known = prepare(scope, "Marcus worker", names, ["Marcus", "Zoe"])

    assert known.facts == plan.facts(names, ["marcus", "worker"])
    assert known.collections == [SearchedCollection(name, "words-64", 64, False) for name in ("notes_a", "notes_b")]
    assert {name: sorted(heads) for name, heads in known.heads.items()} == {
        "Marcus": ["Marcus: the worker hangs", "ask Marcus"]
    }


def test_nothing_stored_and_nobody_named_is_nothing(alice: User) -> None:
    known = prepare(Scope.of(Record.objects.filter(user=alice)), "why", ["notes_a"], [])

    assert (known.collections, known.heads) == ([], {})
