"""Rows that wait to be embedded: which are tried when, and what a failure leaves behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from capture.models import Learning
from memoryserver import jobs
from memoryserver.accounts.models import User
from memoryserver.embedding import EmbeddingInterruptedError, EmbeddingModelError, EmbeddingUnavailableError
from memoryserver.ops.alerting import alerts
from memoryserver.ops.models import Alert
from memoryserver.vectors import backlog
from memoryserver.vectors.store import VectorStoreError
from tests.support.embedder import WordEmbedder

NOW = timezone.now()


def rows(user: User, *contents: str) -> None:
    """Learnings that are pending; the digest is the content."""
    fields = {"type": "gotcha", "confidence": 0.9, "first_seen": NOW, "last_seen": NOW}
    for content in contents:
        Learning.objects.create(user=user, content=content, content_digest=content, **fields)


class Embedder:
    """Remembers its batches and fails on a batch that has a row with `poison`."""

    def __init__(self, error: Exception | None = None) -> None:
        self.batches: list[list[str]] = []
        self.error = error or EmbeddingModelError("cannot embed this")

    def __call__(self, batch: Sequence[Learning]) -> None:
        self.batches.append([row.content for row in batch])
        assert len(self.batches) < 20, "rows that were embedded are due again and again"
        if "poison" in self.batches[-1]:
            raise self.error


def drain(embed: Callable[[Sequence[Learning]], None], seconds: float = backlog.SECONDS) -> int:
    return backlog.drain(Learning.objects.all(), embed, seconds)


def make_due() -> None:
    """As if the pause were over."""
    Learning.objects.exclude(embed_after=None).update(embed_after=timezone.now() - timedelta(seconds=1))


def pending() -> list[str]:
    return list(Learning.objects.filter(Learning.pending()).order_by("pk").values_list("content", flat=True))


def test_pending_rows_are_embedded_in_batches_and_once(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "BATCH", 2)
    rows(alice, "a", "b", "c")
    embed = Embedder()

    assert (drain(embed), drain(embed)) == (3, 0)
    assert (embed.batches, pending()) == ([["a", "b"], ["c"]], [])


@pytest.mark.parametrize("error", [EmbeddingModelError("no"), VectorStoreError("no")])
def test_row_that_fails_is_tried_alone_and_holds_up_no_other(alice: User, error: Exception) -> None:
    rows(alice, "a", "poison", "b")
    embed = Embedder(error)

    assert drain(embed) == 2

    assert embed.batches == [["a", "poison", "b"], ["a"], ["poison"], ["b"]]
    bad = Learning.objects.get(content="poison")
    assert (pending(), bad.embed_attempts, bad.embed_error) == (["poison"], 2, "no")


def unavailable(times: int) -> Callable[[Sequence[Learning]], None]:
    """Embed after so many calls in which there is nothing to embed with."""
    calls = iter(range(1000))

    def embed(batch: Sequence[Learning]) -> None:
        if next(calls) < times:
            raise EmbeddingUnavailableError("the embedding process does not run")

    return embed


def test_rows_wait_untried_while_there_is_nothing_to_embed_with(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "PATIENCE", 0.0)
    rows(alice, "a", "tried before")
    Learning.objects.filter(content="tried before").update(embed_attempts=3)

    assert drain(unavailable(2)) == 0

    assert list(Learning.objects.order_by("pk").values_list("embed_attempts", "embed_after", "embed_error")) == [
        (0, None, ""),
        (3, None, ""),
    ]
    alert = Alert.objects.get(ended_at=None)
    assert (alert.key, alert.message) == (
        backlog.UNAVAILABLE_ALERT,
        "nothing is embedded and searches are lexical: the embedding process does not run",
    )
    assert drain(unavailable(0)) == 2
    assert not Alert.objects.filter(ended_at=None).exists()


def test_job_waits_for_what_embeds_to_come_back(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "_PATIENT_PAUSE", 0.01)
    rows(alice, "a", "b")

    assert drain(unavailable(5)) == 2

    assert (pending(), Alert.objects.count()) == ([], 0)


class Loading(WordEmbedder):
    """Can be loaded after so many attempts."""

    def __init__(self, attempts: int) -> None:
        self.left = attempts

    def load(self) -> None:
        self.left -= 1
        if self.left >= 0:
            raise EmbeddingUnavailableError("the embedding process does not run")


def test_job_waits_for_the_model_to_be_loaded(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "_PATIENT_PAUSE", 0.01)

    assert backlog.can_embed(Loading(3))
    assert Alert.objects.count() == 0


def test_job_that_waited_without_success_says_so_in_an_alert(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "PATIENCE", 0.0)

    assert not backlog.can_embed(Loading(1))
    assert Alert.objects.get(ended_at=None).key == backlog.UNAVAILABLE_ALERT


def test_row_during_which_what_embeds_ends_has_been_tried(alice: User) -> None:
    """It may be the cause; if it were not counted it would be the first of every job."""
    rows(alice, "a", "poison", "b")
    embed = Embedder(EmbeddingInterruptedError("it ended"))

    assert drain(embed) == 2

    bad = Learning.objects.get(content="poison")
    assert (pending(), bad.embed_attempts, bad.embed_error) == (["poison"], 2, "it ended")


def test_rows_of_a_batch_of_two_that_fails_are_tried_alone_too(alice: User) -> None:
    rows(alice, "poison", "a")
    embed = Embedder()

    assert (drain(embed), embed.batches, pending()) == (1, [["poison", "a"], ["poison"], ["a"]], ["poison"])


def test_failed_batch_changes_no_row_but_its_own(alice: User) -> None:
    rows(alice, "waiting", "poison", "b")
    later = timezone.now() + timedelta(hours=1)
    Learning.objects.filter(content="waiting").update(embed_attempts=3, embed_after=later)
    embed = Embedder()

    assert (drain(embed), embed.batches) == (1, [["poison", "b"], ["poison"], ["b"]])
    fields = ("content", "embed_attempts", "embed_after", "embed_error")
    assert Learning.objects.values_list(*fields).get(content="waiting") == ("waiting", 3, later, "")


def test_failed_row_is_left_alone_until_its_pause_is_over(alice: User) -> None:
    rows(alice, "poison")
    embed = Embedder()
    for _ in range(2):
        drain(embed)
    tried_at_once = len(embed.batches)
    make_due()
    drain(embed)

    assert (tried_at_once, len(embed.batches)) == (1, 2)


def test_pause_doubles_with_each_attempt_up_to_six_hours(alice: User) -> None:
    rows(alice, "poison")
    pauses = []
    for attempts in (0, 1, 2, 20):
        Learning.objects.update(embed_attempts=attempts, embed_after=None)
        before = timezone.now()
        drain(Embedder())
        until = Learning.objects.get().embed_after
        assert until is not None
        pauses.append(round((until - before).total_seconds(), -1))

    assert pauses == [30, 60, 120, 6 * 3600]


def test_other_error_is_raised_and_the_attempt_stays_counted(alice: User) -> None:
    rows(alice, "poison")

    with pytest.raises(RuntimeError, match="a defect"):
        drain(Embedder(RuntimeError("a defect")))
    assert (Learning.objects.get().embed_attempts, pending()) == (1, ["poison"])


def test_what_a_failed_batch_wrote_is_rolled_back(alice: User) -> None:
    rows(alice, "a")

    def embed(batch: Sequence[Learning]) -> None:
        Learning.objects.filter(pk=batch[0].pk).update(seen_count=9)
        raise VectorStoreError("full")

    assert (drain(embed), Learning.objects.get().seen_count) == (0, 1)


def test_content_that_changes_during_the_embedding_is_embedded_next(alice: User) -> None:
    rows(alice, "a")
    embed = Embedder()

    def meanwhile(batch: Sequence[Learning]) -> None:
        embed(batch)
        Learning.objects.update(content="b", content_digest="b")

    assert drain(meanwhile) == 2
    assert (embed.batches, pending(), Learning.objects.get().embedded_digest) == ([["a"], ["b"]], [], "b")


def test_no_batch_is_started_when_the_time_is_over(alice: User) -> None:
    rows(alice, "a")
    embed = Embedder()

    assert (drain(embed, seconds=0), embed.batches) == (0, [])


def test_stuck_row_is_alerted_once_and_the_alert_ends_with_its_success(alice: User) -> None:
    rows(alice, "poison")
    for _ in range(backlog.ALERT_AFTER + 2):
        drain(Embedder())
        make_due()
    key = Learning.objects.get().pk
    alerted = [(alert.key, alert.message, alert.about) for alert in alerts.open_alerts()]
    drain(lambda _: None)

    assert alerted == [
        (
            "embedding capture.Learning",
            f"capture.Learning {key} could not be embedded in 5 attempts: cannot embed this",
            [f"capture.Learning {key}"],
        )
    ]
    assert alerts.open_alerts().count() == 0


def test_alert_stays_open_while_a_stuck_row_is_left(alice: User) -> None:
    rows(alice, "a", "b")
    Learning.objects.update(embed_attempts=backlog.ALERT_AFTER)
    alerts.begin(backlog.alert_key(Learning), "stuck")
    backlog.end_alerts()
    while_stuck = alerts.open_alerts().count()
    Learning.objects.all().delete()
    backlog.end_alerts()

    assert (while_stuck, alerts.open_alerts().count()) == (1, 0)


@pytest.mark.parametrize(
    "fields",
    [{"embed_attempts": backlog.ALERT_AFTER - 1}, {"embed_attempts": 9, "embedded_digest": "a"}],
    ids=["failed less often", "embedded"],
)
def test_alert_ends_where_the_rows_left_are_not_stuck(alice: User, fields: dict[str, object]) -> None:
    rows(alice, "a")
    Learning.objects.update(**fields)
    alerts.begin(backlog.alert_key(Learning), "stuck")
    backlog.end_alerts()

    assert alerts.open_alerts().count() == 0


def test_failure_is_logged_and_its_reason_kept_up_to_2000_characters(
    alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    rows(alice, "poison")
    drain(Embedder(EmbeddingModelError("x" * 3000)))

    row = Learning.objects.get()
    (record,) = [record for record in caplog.records if record.name == "memoryserver.vectors.backlog"]
    logged = {name: getattr(record, name, None) for name in ("message", "row", "attempt", "reason")}
    assert logged == {
        "message": "embedding failed",
        "row": f"capture.Learning {row.pk}",
        "attempt": 1,
        "reason": "x" * 3000,
    }
    assert row.embed_error == "x" * 2000


def test_rows_that_failed_before_are_tried_in_order_of_their_attempts(alice: User) -> None:
    rows(alice, "thrice", "once", "new")
    for content, attempts in (("thrice", 3), ("once", 1)):
        Learning.objects.filter(content=content).update(embed_attempts=attempts)
    embed = Embedder()

    assert (drain(embed), embed.batches) == (3, [["new"], ["once"], ["thrice"]])


def test_reset_rows_are_pending_and_due_again(alice: User) -> None:
    rows(alice, "a")
    drain(Embedder())
    Learning.objects.update(embed_attempts=3, embed_after=NOW + timedelta(hours=1), embed_error="no")

    assert backlog.reset(Learning.objects.all()) == 1
    row = Learning.objects.get()
    assert (row.embed_attempts, row.embed_after, row.embed_error, pending()) == (0, None, "", ["a"])


@pytest.mark.django_db(transaction=True)
def test_second_drain_of_the_same_table_returns_at_once() -> None:
    rows(User.objects.create(username="alice"), "a")
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with jobs.try_advisory_lock("embed capture_learning") as acquired:
            assert acquired
            held.set()
            release.wait(20)
        connections.close_all()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(20)
    embed = Embedder()
    while_held = drain(embed), len(embed.batches)
    release.set()
    holder.join()

    assert (while_held, drain(embed)) == ((0, 0), 1)
