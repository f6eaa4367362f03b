"""What the models of vectors add to their fields: constraints, generated columns and texts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from memoryserver.accounts.models import User
from memoryserver.vectors.models import Collection, NextEmbedding, Record, TokenCodes

BORN = datetime(2026, 1, 2, tzinfo=UTC)


def record(user: User, terms: str = "", *, key: str = "k", collection: str = "things") -> Record:
    row = Record.objects.create(collection=collection, user=user, key=key, text="x", terms=terms, created_at=BORN)
    row.refresh_from_db()
    return row


def test_key_exists_once_in_a_users_collection(alice: User, bob: User) -> None:
    record(alice)
    record(bob)
    record(alice, collection="others")

    with pytest.raises(IntegrityError, match="record_once"), transaction.atomic():
        record(alice)


@pytest.mark.parametrize(("terms", "length"), [("export hang", 2), ("export", 1), ("a b c d", 4)])
def test_length_is_the_number_of_terms(alice: User, terms: str, length: int) -> None:
    assert record(alice, terms).length == length


def test_words_follow_the_terms(alice: User) -> None:
    row = record(alice, "exports hanging")
    before = row.words
    row.terms = "zebra"
    row.save()
    row.refresh_from_db()

    assert (before, row.words) == ("'export':1 'hang':2", "'zebra':1")


def test_next_embedding_exists_once_and_ends_with_its_record(alice: User) -> None:
    row = record(alice)
    NextEmbedding.objects.create(record=row, embedding=[1.0, 0.0], embedded_as="a", text_digest="b")

    with pytest.raises(IntegrityError), transaction.atomic():
        NextEmbedding.objects.create(record=row, embedding=[1.0], embedded_as="a", text_digest="b")
    row.delete()
    assert NextEmbedding.objects.count() == 0


def test_vectors_of_one_column_may_have_different_lengths(alice: User) -> None:
    for key, vector in (("a", [1.0]), ("b", [1.0, 2.0])):
        Record.objects.filter(pk=record(alice, key=key).pk).update(embedding=vector)

    assert [list(row.embedding) for row in Record.objects.order_by("key")] == [[1.0], [1.0, 2.0]]


def test_rows_are_shown_by_what_names_them() -> None:
    texts = [
        str(Collection(name="things", model="words-64", dimension=64)),
        str(Record(collection="things", key="k")),
        str(NextEmbedding(record_id=7)),
        str(TokenCodes(record_id=8)),
    ]

    assert texts == ["things (words-64, 64)", "things/k", "of record 7", "of record 8"]
