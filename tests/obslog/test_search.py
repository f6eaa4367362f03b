"""Observations as they are found: what the job makes findable, for whom, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.embedding import EmbeddingModelError, Vector
from memoryserver.search.service import Search, search
from memoryserver.vectors import backlog
from memoryserver.vectors.models import Record
from obslog import indexing, jobs, log, partitions
from obslog.models import Observation, SearchMark, Unembedded
from obslog.partitions import Month
from tests.embedder import WordEmbedder
from tests.obslog.entries import new
from tests.obslog.others import Other


@pytest.fixture(autouse=True)
def loaded() -> None:
    embedding.load()


def found(user: User, query: str, **narrowed: Any) -> list[str]:
    return sorted(hit.text for hit in search(user, Search(query, source="observations", **narrowed)).hits)


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """From now on embedding any text with `poison` in it ends in `error`."""

    class Failing(WordEmbedder):
        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            if any("poison" in text for text in texts):
                raise error
            return super().embed_batch(texts)

    monkeypatch.setattr(jobs, "service", Failing)


def make_due() -> None:
    """As if the pause were over."""
    Unembedded.objects.exclude(embed_after=None).update(embed_after=timezone.now() - timedelta(seconds=1))


def test_message_is_found_by_its_owner_alone_with_what_it_is_about(alice: User, bob: User) -> None:
    log.append(alice, new(message="the deploy of shop failed", type="deploy.failed", scope_ids=["s1", "task"]))

    assert jobs.embed_arrived() == 1

    (hit,) = search(alice, Search("failed deploy", source="observations")).hits
    assert (hit.source, hit.axis, hit.kind, hit.text) == (
        "observations",
        "message",
        "deploy.failed",
        "the deploy of shop failed",
    )
    assert hit.origin == {"from": "agent:abc123", "about": "s1, task"}
    assert (hit.semantic_rank, hit.lexical_rank) == (1, 1)
    assert found(bob, "failed deploy") == []


def test_search_without_a_source_leaves_observations_out(alice: User) -> None:
    log.append(alice, new(message="the deploy failed", type="deploy.failed"))
    jobs.embed_arrived()

    assert search(alice, Search("deploy failed")).hits == []
    assert [hit.source for hit in search(alice, Search("deploy failed", axis="message")).hits] == ["observations"]
    asked = search(alice, Search("deploy failed", filters={"log_source": "agent:"}))
    assert [hit.source for hit in asked.hits] == ["observations"]


@pytest.mark.parametrize(
    ("filters", "messages"),
    [
        ({"type": "deploy.failed"}, ["deploy one"]),
        ({"type": "deploy.never"}, []),
        ({"type": "x\x00"}, []),
        ({"log_source": "agent:"}, ["deploy one"]),
        ({"log_source": "ci:50%"}, ["deploy two"]),
        ({"log_source": "ci:50_"}, []),
        ({"log_source": "ci:\x00"}, []),
        ({"log_source": "ci:", "type": "deploy.done"}, ["deploy two"]),
    ],
)
def test_type_and_beginning_of_the_source_narrow(filters: dict[str, str], messages: list[str], alice: User) -> None:
    log.append(alice, new(message="deploy one", type="deploy.failed"))
    log.append(alice, new(message="deploy two", type="deploy.done", source="ci:50%of"))
    jobs.embed_arrived()

    assert found(alice, "deploy", filters=filters) == messages


def test_api_finds_them_where_they_are_asked_for(alice: User, api: Callable[[User | None], Client]) -> None:
    log.append(alice, new(message="deploy one"))
    jobs.embed_arrived()
    query = {"q": "deploy", "source": "observations", "log_source": "agent:", "type": "task.updated"}

    answer = api(alice).get("/api/v1/search", query).json()

    assert [hit["text"] for hit in answer["hits"]] == ["deploy one"]


def test_events_of_the_server_and_of_nobody_are_left_out(alice: User) -> None:
    log.append(alice, new(message="deploy one", source="system:deploy"))
    log.append(None, new(message="deploy two"))

    assert jobs.embed_arrived() == 0
    assert not Record.objects.exists()


def test_idle_job_costs_a_few_queries_and_writes_nothing(alice: User) -> None:
    log.append(alice, new())
    jobs.embed_arrived()

    with CaptureQueriesContext(connection) as captured:
        assert jobs.embed_arrived() == 0

    sent = [query["sql"].split()[0] for query in captured.captured_queries]
    assert [word for word in sent if word not in ("SAVEPOINT", "RELEASE")] == ["SELECT"] * 4


def test_each_is_staged_once_whatever_their_number(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "STAGE_LIMIT", 3)
    log.append_all(alice, [new(message=f"line {number}") for number in range(8)])

    assert [indexing.stage_arrived() for _ in range(4)] == [3, 3, 2, 0]
    assert (Record.objects.count(), Unembedded.objects.count()) == (8, 8)
    assert SearchMark.objects.get().arrival == max(Observation.objects.values_list("arrival", flat=True))


def test_staged_twice_is_there_once(alice: User) -> None:
    log.append(alice, new(message="deploy one"))
    jobs.embed_arrived()
    SearchMark.objects.update(arrival=0)

    assert jobs.embed_arrived() == 1
    assert found(alice, "deploy") == ["deploy one"]
    assert not Unembedded.objects.exists()


def test_late_commit_of_an_early_arrival_is_not_missed(others: list[Other]) -> None:
    alice = User.objects.create(username="alice")
    others[0].append(alice, "early deploy")
    others[1].append(alice, "later deploy")
    others[1].commit()

    assert jobs.embed_arrived() == 0
    others[0].commit()

    assert jobs.embed_arrived() == 2
    assert found(alice, "deploy") == ["early deploy", "later deploy"]


def test_until_it_is_embedded_a_message_is_found_by_its_words(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append(alice, new(message="deploy poison"))
    failing(monkeypatch, EmbeddingModelError("no"))

    assert jobs.embed_arrived() == 0

    (hit,) = search(alice, Search("deploy", source="observations")).hits
    assert (hit.semantic_rank, hit.lexical_rank) == (None, 1)


def test_one_that_fails_holds_up_no_other_waits_longer_and_is_alerted_once(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append_all(alice, [new(message="one"), new(message="poison"), new(message="two")])
    failing(monkeypatch, EmbeddingModelError("cannot embed this"))
    done, pauses = [], []
    for _ in range(7):
        before = timezone.now()
        done.append(jobs.embed_arrived())
        until = Unembedded.objects.get().embed_after
        assert until is not None
        pauses.append(round((until - before).total_seconds(), -1))
        make_due()

    assert (done, pauses[:4]) == ([2, 0, 0, 0, 0, 0, 0], [60, 120, 240, 480])
    assert Unembedded.objects.get().embed_error == "cannot embed this"
    assert Observation.objects.filter(type="server.alert").count() == 1


def test_worker_that_dies_has_counted_the_attempt(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append_all(alice, [new(message="one"), new(message="poison")])
    failing(monkeypatch, SystemExit())

    with pytest.raises(SystemExit):
        jobs.embed_arrived()

    assert set(Unembedded.objects.values_list("embed_attempts", flat=True)) == {1}


def test_when_its_time_is_up_the_job_leaves_the_rest_to_the_next(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "BATCH", 2)
    log.append_all(alice, [new(message=f"line {number}") for number in range(5)])
    while indexing.stage_arrived():
        pass

    def embed(rows: Sequence[Unembedded]) -> None:
        indexing.embed(rows, WordEmbedder())

    assert backlog.drain(Unembedded.objects.all(), embed, seconds=0) == 0
    assert set(Unembedded.objects.values_list("embed_attempts", flat=True)) == {0}
    assert backlog.drain(Unembedded.objects.all(), embed) == 5


def test_dropped_month_takes_what_was_made_of_it_for_the_search(alice: User, settings: Any) -> None:
    settings.OBSLOG_RETENTION_MONTHS = 3
    now = timezone.now()
    old = Month.of(now).plus(-4)
    then = datetime(old.year, old.month, 2, tzinfo=UTC)
    partitions.ensure(then)
    log.append(alice, new(message="old deploy", created_at=int(then.timestamp() * 1000)))
    log.append(alice, new(message="odd deploy", created_at=0))  # of no month: kept as long as something newer is
    log.append(alice, new(message="far deploy", created_at=int((now + timedelta(days=900)).timestamp() * 1000)))
    jobs.embed_arrived()
    assert found(alice, "deploy") == ["far deploy", "odd deploy", "old deploy"]

    jobs.drop_old_months()

    assert sorted(Record.objects.values_list("text", flat=True)) == ["far deploy", "odd deploy"]


def test_dropped_before_it_was_embedded_it_no_longer_waits(alice: User) -> None:
    log.append(alice, new(created_at=1_000))
    indexing.stage_arrived()
    partitions.drop_before(Month(1970, 2))

    assert found(alice, "moved on") == []
    jobs.embed_arrived()
    assert not Unembedded.objects.exists()
