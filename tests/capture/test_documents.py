"""Learnings in the collection that search reads: by their words at once, by meaning when they are embedded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from capture import documents
from capture.models import Learning
from capture.sink import store
from memoryserver.accounts.models import Project, User
from memoryserver.embedding import Vector
from memoryserver.vectors.models import Collection, Record
from memoryserver.vectors.store import VectorStoreError, embedding_digest
from tests.capture.test_sink import CONTENT, capture, learning
from tests.support.embedder import WordEmbedder


@pytest.fixture
def row(alice: User, shared_project: Project) -> Learning:
    """A learning that is in no collection yet."""
    store(alice, shared_project, capture(learning()))
    Record.objects.all().delete()
    return Learning.objects.get()


@pytest.mark.parametrize("stage", [documents.stage, documents.stage_new])
def test_staged_learning_is_a_record_without_a_vector(
    stage: Callable[[User, Project, Sequence[Learning]], None], alice: User, shared_project: Project, row: Learning
) -> None:
    stage(alice, shared_project, [row])

    record = Record.objects.get()
    assert (record.collection, record.key, record.text, record.embedding) == ("learnings", str(row.pk), CONTENT, None)
    assert (record.user, record.project, record.created_at) == (alice, shared_project, row.first_seen)
    assert record.payload == {"type": "learning", "source": "stated", "confidence": 0.9}


def test_embedded_learning_gets_its_vector_and_the_collection_its_model(
    alice: User, shared_project: Project, row: Learning
) -> None:
    documents.embed(alice, shared_project, [row], WordEmbedder())

    record = Record.objects.get()
    assert list(record.embedding) == pytest.approx(WordEmbedder().embed(CONTENT), abs=1e-6)
    assert record.embedded_as == embedding_digest("words-64", CONTENT)
    assert Collection.objects.values_list("name", "model", "dimension").get() == ("learnings", "words-64", 64)


def test_staging_again_keeps_the_vector_of_the_same_text(alice: User, shared_project: Project, row: Learning) -> None:
    documents.embed(alice, shared_project, [row], WordEmbedder())
    documents.stage(alice, shared_project, [row])

    assert Record.objects.exclude(embedding=None).count() == 1


def test_hidden_learning_is_removed_from_the_collection(alice: User, shared_project: Project, row: Learning) -> None:
    documents.stage(alice, shared_project, [row])
    row.hidden = True
    row.save()

    documents.embed(alice, shared_project, [row], WordEmbedder())

    assert Record.objects.count() == 0


@pytest.mark.parametrize("change", ["deleted", "corrected", "hidden"])
def test_learning_that_is_changed_during_the_embedding_is_not_stored_as_it_was(
    change: str, alice: User, shared_project: Project, row: Learning
) -> None:
    changes = {
        "deleted": lambda rows: rows.delete(),
        "corrected": lambda rows: rows.update(content="Said better"),
        "hidden": lambda rows: rows.update(hidden=True),
    }

    class Meanwhile(WordEmbedder):
        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            changes[change](Learning.objects.all())
            return super().embed_batch(texts)

    documents.embed(alice, shared_project, [row], Meanwhile())

    assert Record.objects.count() == 0


def test_collection_of_another_model_is_an_error_and_nothing_is_stored(
    alice: User, shared_project: Project, row: Learning
) -> None:
    Collection.objects.create(name="learnings", model="another", dimension=3)

    with pytest.raises(VectorStoreError, match="holds vectors of another"):
        documents.embed(alice, shared_project, [row], WordEmbedder())
    assert Record.objects.count() == 0
