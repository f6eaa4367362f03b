"""What a search asks before it ranks."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from memoryserver.accounts.models import User
from memoryserver.search import plan
from memoryserver.search.plan import Scope
from memoryserver.search.questions.preparation import SearchedCollection, prepare
from memoryserver.vectors.models import Record
from tests.memoryserver.search.notes import put

pytestmark = pytest.mark.usefixtures("notes")


def test_one_statement_has_the_facts_the_collections_that_exist_and_the_heads_of_the_scope(
    alice: User, bob: User, django_assert_num_queries: Any
) -> None:
    put(alice, "one", "Marcus: the worker hangs")
    put(alice, "two", "ask Marcus", collection="notes_b")
    put(bob, "three", "Marcus is elsewhere")
    scope, names = Scope.of(Record.objects.filter(user=alice)), ["notes_b", "notes_a", "notes_none"]

    with django_assert_num_queries(1):
        known = prepare(scope, "Marcus worker", names, ["Marcus", "Zoe"], by_words=False)

    assert known.facts == plan.facts(names, ["marcus", "worker"])
    assert known.collections == [SearchedCollection(name, "words-64", 64, False) for name in ("notes_a", "notes_b")]
    assert {name: sorted(heads) for name, heads in known.heads.items()} == {
        "Marcus": ["Marcus: the worker hangs", "ask Marcus"]
    }


def test_nothing_stored_and_nobody_named_is_nothing(alice: User) -> None:
    known = prepare(Scope.of(Record.objects.filter(user=alice)), "why", ["notes_a"], [], by_words=True)

    assert (known.collections, known.heads) == ([], {})


@pytest.mark.parametrize(
    ("by_words", "analyzed", "corpus"), [(True, True, (2, 3.5)), (False, True, None), (True, False, None)]
)
def test_records_are_counted_for_a_search_by_words_in_a_table_that_is_known_to_be_small(
    alice: User, bob: User, by_words: bool, analyzed: bool, corpus: object
) -> None:
    put(alice, "one", "the worker hangs")
    put(alice, "two", "a long pause ends")
    put(bob, "three", "the")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_class SET reltuples = -1 WHERE relname = 'vectors_record'")
        if analyzed:
            cursor.execute("ANALYZE vectors_record")

    known = prepare(Scope.of(Record.objects.filter(user=alice)), "worker", ["notes_a"], [], by_words=by_words)

    assert known.facts.corpus == corpus
