"""The log's jobs: months are created and dropped, and new observations embedded."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.embedding import EmbeddingModelError
from memoryserver.search.service import Search, search
from obslog import jobs, log, partitions
from obslog.models import Observation, Unembedded
from obslog.partitions import Month
from tests.obslog.searching import failing, make_due
from tests.support.rows.observations import new, store_with_any_time


@pytest.fixture(autouse=True)
def loaded_embedder() -> None:
    embedding.load()


def test_idle_job_costs_a_few_queries_and_writes_nothing(alice: User) -> None:
    log.append(alice, new())
    jobs.embed_arrived()

    with CaptureQueriesContext(connection) as captured:
        assert jobs.embed_arrived() == 0

    sent = [query["sql"].split()[0] for query in captured.captured_queries]
    assert [word for word in sent if word not in ("SAVEPOINT", "RELEASE")] == ["SELECT"] * 4


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


def test_month_with_the_newest_is_never_dropped_by_a_job_that_keeps_one(alice: User, settings: Any) -> None:
    settings.OBSLOG_RETENTION_MONTHS = 1
    log.append(alice, new(created_at=int(timezone.now().timestamp() * 1000)))

    assert jobs.drop_old_months() == 0
    assert Observation.objects.count() == 1


def test_job_drops_what_is_older_than_the_setting_keeps_and_tells_the_log(alice: User, settings: Any) -> None:
    settings.OBSLOG_RETENTION_MONTHS = 3
    old = Month.of(timezone.now()).plus(-4)
    then = datetime(old.year, old.month, 2, tzinfo=UTC)
    partitions.ensure(then)
    log.append_all(alice, [new(created_at=int(then.timestamp() * 1000))] * 2)

    assert jobs.drop_old_months() == 2
    assert jobs.drop_old_months() == 0

    told = Observation.objects.get(message__startswith=f"dropped {old} ")
    assert (told.user, told.type, told.source) == (None, "log.month_dropped", "system:obslog")
    assert told.message == f"dropped {old} with 2 observations: 3 months are kept"
    assert told.data == {"dropped": str(old), "observations": 2, "kept_months": 3}
    assert not log.find_many(alice).observations


def test_without_the_setting_nothing_is_ever_dropped(alice: User) -> None:
    store_with_any_time(alice, [new(created_at=0)])

    assert jobs.drop_old_months() == 0
    assert Observation.objects.count() == 1


def test_job_makes_months_and_tells_the_log(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs.make_partitions()  # of a month that began since the database was made
    assert jobs.make_partitions() == 0
    partitions.drop_before(Month.of(timezone.now()).plus(1))

    assert jobs.make_partitions() == 2
    (told,) = Observation.objects.all()
    now = Month.of(timezone.now())
    assert told.message == f"created the months {now.plus(-1)}, {now}"
