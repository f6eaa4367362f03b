"""The job that persists: what it leaves behind when it works, fails, or is killed."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from ghap import jobs
from ghap.intake import receive
from ghap.models import Clustering, Entry
from memoryserver import embedding
from memoryserver.accounts.models import Project, User
from memoryserver.embedding import EmbeddingModelError, Vector
from memoryserver.vectors.models import Record
from obslog.models import Observation
from tests.support.embedder import WordEmbedder
from tests.support.rows.ghap_entries import body, falsified


def numbered(number: int, **changes: object) -> dict[str, object]:
    return body(id=f"ghap_20261120_1430{number:02d}_a1b2c3", **changes)


def failing(monkeypatch: pytest.MonkeyPatch, on: str, error: BaseException) -> None:
    """From now on embedding any text that holds `on` ends in `error`."""

    class Failing(WordEmbedder):
        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            if any(on in text for text in texts):
                raise error
            return super().embed_batch(texts)

    monkeypatch.setattr(jobs, "service", Failing)


def embedded_keys() -> set[str]:
    return set(Record.objects.exclude(embedding=None).values_list("key", flat=True))


def make_due() -> None:
    """As if the pause were over."""
    Entry.objects.exclude(embed_after=None).update(embed_after=timezone.now() - timedelta(seconds=1))


def test_pending_entries_of_several_owners_are_persisted_each_for_its_own(
    alice: User, bob: User, shared_project: Project
) -> None:
    receive(alice, None, [falsified()])
    receive(bob, shared_project, [body(), numbered(1)])

    assert jobs.persist_pending() == 3

    assert set(Record.objects.exclude(embedding=None).values_list("user", "project", "key").distinct()) == {
        (alice.pk, None, "ghap_20261120_143022_a1b2c3"),
        (bob.pk, shared_project.pk, "ghap_20261120_143022_a1b2c3"),
        (bob.pk, shared_project.pk, "ghap_20261120_143001_a1b2c3"),
    }


def test_persisted_entry_is_told_to_the_log(alice: User) -> None:
    receive(alice, None, [body()])

    jobs.persist_pending()

    told = Observation.objects.get(type="ghap.persisted")
    assert (told.user, told.source) == (alice, "system:persister")
    assert told.message == "persisted ghap_20261120_143022_a1b2c3 (confirmed)"


def test_second_run_does_nothing(alice: User) -> None:
    receive(alice, None, [body()])
    jobs.persist_pending()

    assert jobs.persist_pending() == 0


def test_changed_entry_is_persisted_again(alice: User) -> None:
    receive(alice, None, [body()])
    jobs.persist_pending()
    receive(alice, None, [falsified()])

    assert jobs.persist_pending() == 1
    assert set(Record.objects.values_list("collection", flat=True)) == {
        "ghap_full",
        "ghap_strategy",
        "ghap_surprise",
        "ghap_root_cause",
    }


def test_entry_that_cannot_be_embedded_holds_up_no_other(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    receive(alice, None, [numbered(1), numbered(2, goal="poison"), numbered(3)])
    failing(monkeypatch, "poison", EmbeddingModelError("cannot embed this"))

    assert jobs.persist_pending() == 2

    bad = Entry.objects.get(goal="poison")
    assert embedded_keys() == {"ghap_20261120_143001_a1b2c3", "ghap_20261120_143003_a1b2c3"}
    assert bad.embed_error == "cannot embed this"
    assert bad.embed_after is not None
    assert bad.embed_after > timezone.now()


def test_failed_entry_waits_longer_each_time(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    receive(alice, None, [numbered(2, goal="poison")])
    failing(monkeypatch, "poison", EmbeddingModelError("cannot embed this"))
    pauses = []
    for _ in range(4):
        before = timezone.now()
        jobs.persist_pending()
        until = Entry.objects.get().embed_after
        assert until is not None
        pauses.append(round((until - before).total_seconds(), -1))
        make_due()

    assert pauses == [30, 60, 120, 240]


def test_lasting_failure_is_alerted_once(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    receive(alice, None, [numbered(2, goal="poison")])
    failing(monkeypatch, "poison", EmbeddingModelError("cannot embed this"))
    for _ in range(8):
        jobs.persist_pending()
        make_due()

    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == ["alert"]


def test_worker_that_dies_at_an_entry_does_not_die_at_it_with_the_others_again(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dying worker is stood for by an exception that nobody catches; the attempt stays counted all the same."""
    receive(alice, None, [numbered(1), numbered(2, goal="poison"), numbered(3)])
    failing(monkeypatch, "poison", SystemExit())
    with pytest.raises(SystemExit):
        jobs.persist_pending()
    assert set(Entry.objects.values_list("embed_attempts", flat=True)) == {1}

    make_due()
    with pytest.raises(SystemExit):
        jobs.persist_pending()
    make_due()
    with pytest.raises(SystemExit):
        jobs.persist_pending()

    assert embedded_keys() == {"ghap_20261120_143001_a1b2c3", "ghap_20261120_143003_a1b2c3"}


def test_model_that_does_not_load_fails_the_job_and_counts_against_no_entry(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unloadable(WordEmbedder):
        def load(self) -> None:
            raise EmbeddingModelError("no such model")

    receive(alice, None, [body()])
    monkeypatch.setattr(jobs, "service", Unloadable)

    with pytest.raises(EmbeddingModelError, match="no such model"):
        jobs.persist_pending()

    assert Entry.objects.get().embed_attempts == 0


def test_nothing_pending_does_not_load_the_model(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    class Unloadable(WordEmbedder):
        def load(self) -> None:
            raise EmbeddingModelError("no such model")

    monkeypatch.setattr(jobs, "service", Unloadable)

    assert jobs.persist_pending() == 0


def test_service_of_the_tests_is_the_small_one() -> None:
    assert embedding.service().model_name == "words-64"


def meanwhile(monkeypatch: pytest.MonkeyPatch, action: Callable[[], None], axis: int) -> None:
    """Let `action` run while the texts of the `axis`-th axis are being embedded."""

    class Meanwhile(WordEmbedder):
        batches = 0

        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            Meanwhile.batches += 1
            if Meanwhile.batches == axis:
                action()
            return super().embed_batch(texts)

    monkeypatch.setattr(jobs, "service", Meanwhile)


def on_a_connection_of_its_own(work: Callable[[], object]) -> threading.Thread:
    """Start `work` with a connection to the database of its own."""

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("axis", [1, 2, 3, 4])
def test_entry_that_is_deleted_while_it_is_embedded_gets_no_vectors_back(
    axis: int, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive(alice, None, [falsified(), numbered(1)])
    deletion = Entry.objects.filter(ghap_id=falsified()["id"])
    threads: list[threading.Thread] = []

    def delete() -> None:
        threads.append(on_a_connection_of_its_own(deletion.delete))
        threads[0].join(1.0)  # from the second axis on, the deletion waits for the job

    meanwhile(monkeypatch, delete, axis)
    jobs.persist_pending()
    threads[0].join()

    assert set(Record.objects.values_list("key", flat=True)) == {numbered(1)["id"]}
    assert embedded_keys() == {numbered(1)["id"]}
    assert Observation.objects.filter(scopes__scope_id=numbered(1)["id"], type="ghap.persisted").count() == 1


@pytest.mark.django_db(transaction=True)
def test_job_waits_for_a_deletion_that_has_begun(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    receive(alice, None, [falsified()])
    deleted, embedding_goes_on = threading.Event(), threading.Event()

    def delete() -> None:
        with transaction.atomic():
            Entry.objects.all().delete()
            deleted.set()
            embedding_goes_on.wait(10.0)

    def begin() -> None:
        threads.append(on_a_connection_of_its_own(delete))
        deleted.wait(10.0)
        threading.Timer(0.5, embedding_goes_on.set).start()

    threads: list[threading.Thread] = []
    meanwhile(monkeypatch, begin, 1)
    jobs.persist_pending()
    threads[0].join()

    assert Record.objects.count() == 0
    assert Observation.objects.filter(type="ghap.persisted").count() == 0


def test_without_scikit_learn_no_clusters_are_computed_and_the_log_says_so(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(3):
        receive(alice, None, [falsified(id=f"ghap_20261120_14300{number}_a1b2c3")])
    jobs.persist_pending()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)

    assert jobs.find_clusters() == 0

    assert not Clustering.objects.exists()
    assert [record.message for record in caplog.records] == [
        "no clusters are computed: scikit-learn is not installed; run: pip install scikit-learn"
    ]
