"""Indexing of observations: each is staged once, embedded once, and removed with its month."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.vectors import backlog
from memoryserver.vectors.models import Record
from obslog import indexing, jobs, log, partitions
from obslog.models import Observation, SearchMark, Unembedded
from obslog.partitions import Month
from tests.obslog.others import Other
from tests.obslog.searching import found
from tests.support.embedder import WordEmbedder
from tests.support.rows.observations import new, store_with_any_time


@pytest.fixture(autouse=True)
def loaded_embedder() -> None:
    embedding.load()


def test_events_of_the_server_and_of_nobody_are_left_out(alice: User) -> None:
    log.append(alice, new(message="deploy one", source="system:deploy"))
    log.append(None, new(message="deploy two"))

    assert jobs.embed_arrived() == 0
    assert not Record.objects.exists()


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
    odd = new(message="odd deploy", created_at=0)  # of no month: kept as long as something newer is
    far = new(message="far deploy", created_at=int((now + timedelta(days=900)).timestamp() * 1000))
    store_with_any_time(alice, [odd, far])
    jobs.embed_arrived()
    assert found(alice, "deploy") == ["far deploy", "odd deploy", "old deploy"]

    jobs.drop_old_months()

    assert sorted(Record.objects.values_list("text", flat=True)) == ["far deploy", "odd deploy"]


def test_dropped_before_it_was_embedded_it_no_longer_waits(alice: User) -> None:
    store_with_any_time(alice, [new(created_at=1_000)])
    indexing.stage_arrived()
    partitions.drop_before(Month(1970, 2))

    assert found(alice, "moved on") == []
    jobs.embed_arrived()
    assert not Unembedded.objects.exists()
