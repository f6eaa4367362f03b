from __future__ import annotations

import pytest
from django.db import IntegrityError, connection
from django.test import TestCase
from django.utils import timezone
from django_q.models import OrmQ

from ghap.intake import Receipt, receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from memoryserver.vectors.models import Record
from tests.support.database.row_locks import after_waiting_for
from tests.support.rows.factories import UserFactory
from tests.support.rows.ghap_entries import BORN, RESOLVED, body, falsified

ID = "ghap_20261120_143022_a1b2c3"


def test_new_entry_is_stored_found_by_its_words_and_given_to_the_job(alice: User, shared_project: Project) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        receipts = receive(alice, shared_project, [body()])

    row = Entry.objects.get()
    assert receipts == [Receipt(ID, "stored")]
    assert (row.user, row.project, row.ghap_id, row.outcome_status) == (
        alice,
        shared_project,
        ID,
        "confirmed",
    )
    assert row.body == body()
    assert set(Record.objects.values_list("collection", "key", "project", "embedding")) == {
        ("ghap_full", ID, shared_project.pk, None),
        ("ghap_strategy", ID, shared_project.pk, None),
    }
    assert [waiting.name() for waiting in OrmQ.objects.all()] == ["ghap.jobs.persist_pending"]


def test_columns_of_an_entry_repeat_what_filters_and_lists_need(alice: User) -> None:
    receive(alice, None, [body()])

    columns = Entry.objects.values(
        *("session_id", "created_at", "captured_at", "domain", "strategy", "outcome_status", "iteration_count"),
        *("collector_tier", "confidence_tier", "quality_score", "quality_reasons", "quality_version", "goal"),
    )
    assert columns.get() == {
        "session_id": "session_20261120_140000_d4e5f6",
        "created_at": BORN,
        "captured_at": RESOLVED,
        "domain": "debugging",
        "strategy": "systematic-elimination",
        "outcome_status": "confirmed",
        "iteration_count": 2,
        "collector_tier": "silver",
        "confidence_tier": "silver",
        "quality_score": None,
        "quality_reasons": [],
        "quality_version": 0,
        "goal": "Stop the export from hanging",
    }


def test_entry_with_other_content_is_judged_and_embedded_again(alice: User) -> None:
    receive(alice, None, [body()])
    row = Entry.objects.get()
    received_at = row.received_at
    row.embedded_digest = row.content_digest
    row.quality_score, row.quality_reasons, row.quality_version = 0.5, [["vague", "It is vague"]], 3
    row.embed_attempts, row.embed_after = 4, timezone.now()
    row.save()

    receive(alice, None, [falsified()])
    again = Entry.objects.get()
    assert (again.pk, again.received_at) == (row.pk, received_at)
    assert (again.quality_score, again.quality_reasons, again.quality_version) == (None, [], 0)
    assert (again.embed_attempts, again.embed_after) == (0, None)
    assert Entry.objects.filter(Entry.pending()).count() == 1


def test_keys_of_an_entry_in_another_order_are_the_same_content(alice: User) -> None:
    sent = falsified()
    receive(alice, None, [sent])
    reordered = {name: sent[name] for name in reversed(sent)} | {
        "root_cause": dict(reversed(sent["root_cause"].items()))
    }

    assert receive(alice, None, [reordered]) == [Receipt(ID, "unchanged")]


def test_same_entry_again_is_unchanged_and_enqueues_nothing(alice: User) -> None:
    receive(alice, None, [body()])

    with TestCase.captureOnCommitCallbacks(execute=True):
        assert receive(alice, None, [body()]) == [Receipt(ID, "unchanged")]
    assert (Entry.objects.count(), OrmQ.objects.count()) == (1, 0)


def test_entry_with_other_content_replaces_it(alice: User) -> None:
    receive(alice, None, [body()])

    assert receive(alice, None, [falsified()]) == [Receipt(ID, "stored")]
    assert Entry.objects.get().outcome_status == "falsified"


def test_entry_twice_in_one_batch_is_kept_once_as_it_came_last(alice: User) -> None:
    assert receive(alice, None, [body(), falsified()]) == [Receipt(ID, "stored"), Receipt(ID, "stored")]
    assert Entry.objects.get().outcome_status == "falsified"


def test_invalid_entry_is_refused_by_name_and_holds_up_no_other(alice: User) -> None:
    bad = body(id="ghap_20261120_143023_a1b2c4", domain="cooking")

    good, refused = receive(alice, None, [body(), bad])

    assert good == Receipt(ID, "stored")
    assert (refused.id, refused.status) == ("ghap_20261120_143023_a1b2c4", "refused")
    assert "domain" in str(refused.reason)


def test_unresolved_entry_is_refused(alice: User) -> None:
    (refused,) = receive(alice, None, [body(outcome=None)])

    assert (refused.status, refused.reason) == ("refused", "Entry must be resolved")
    assert Entry.objects.count() == 0


def test_same_id_of_two_users_is_two_entries(alice: User, bob: User) -> None:
    receive(alice, None, [body()])
    receive(bob, None, [body()])

    assert Entry.objects.count() == 2


def test_unknown_fields_are_kept(alice: User) -> None:
    receive(alice, None, [body(mood="hopeful")])

    assert Entry.objects.get().body["mood"] == "hopeful"


def test_entry_moved_to_another_project_takes_its_records_along(alice: User, shared_project: Project) -> None:
    receive(alice, None, [body()])
    receive(alice, shared_project, [body()])

    assert Entry.objects.get().project == shared_project
    assert set(Record.objects.values_list("project", flat=True)) == {shared_project.pk}


@pytest.mark.parametrize("claimed", ["gold", "bronze", "abandoned", None])
@pytest.mark.parametrize(
    ("status", "auto_captured", "tier"),
    [("confirmed", False, "silver"), ("falsified", True, "gold"), ("abandoned", True, "abandoned")],
    ids=["by hand", "by its check", "abandoned"],
)
def test_tier_follows_from_the_outcome_whatever_the_laptop_says(
    status: str, auto_captured: bool, tier: str, claimed: str | None, alice: User
) -> None:
    outcome = {**body()["outcome"], "status": status, "auto_captured": auto_captured}
    receive(alice, None, [body(outcome=outcome, confidence_tier=claimed)])

    row = Entry.objects.get()
    assert (row.collector_tier, row.confidence_tier, row.body["confidence_tier"]) == (tier, tier, tier)
    assert set(Record.objects.values_list("payload__confidence_tier", flat=True)) == {tier}


def test_category_of_a_root_cause_is_stored_as_one_word(alice: User) -> None:
    receive(alice, None, [falsified(root_cause={"category": "Wrong Assumption!", "description": "d"})])

    assert Entry.objects.get().body["root_cause"]["category"] == "wrong-assumption"


@pytest.mark.parametrize("category", ["!", "x" * 61], ids=["without a word", "too long"])
def test_category_that_is_no_word_is_refused(category: str, alice: User) -> None:
    (refused,) = receive(alice, None, [falsified(root_cause={"category": category, "description": "d"})])

    assert (refused.status, Entry.objects.count()) == ("refused", 0)
    assert "a root cause category is a word like wrong-assumption" in str(refused.reason)


def test_texts_are_not_kept_where_the_entry_cannot_be_stored(alice: User) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE ghap_entry ADD CONSTRAINT too_bad CHECK (goal <> 'bad')")
    bad = body(id="ghap_20261120_143023_a1b2c4", goal="bad")

    with pytest.raises(IntegrityError, match="too_bad"):
        receive(alice, None, [body(), bad])

    assert (Entry.objects.count(), Record.objects.count()) == (0, 0)


@pytest.mark.parametrize("captured_at", ["2099-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
def test_entry_of_a_wrong_clock_is_ordered_by_arrival_and_keeps_its_time(alice: User, captured_at: str) -> None:
    sent = body()
    sent["outcome"]["captured_at"] = captured_at
    before = timezone.now()
    assert receive(alice, None, [sent]) == [Receipt(ID, "stored")]

    row = Entry.objects.get()
    assert before <= row.captured_at <= row.received_at
    assert row.body["outcome"]["captured_at"] == captured_at


@pytest.mark.parametrize("created_at", ["2099-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
def test_entry_of_a_wrong_clock_is_found_by_the_time_of_its_arrival(alice: User, created_at: str) -> None:
    before = timezone.now()
    receive(alice, None, [body(created_at=created_at)])

    times = [Entry.objects.get().created_at, *Record.objects.values_list("created_at", flat=True)]
    assert all(before <= time <= timezone.now() for time in times)
    assert Entry.objects.get().body["created_at"] == created_at


@pytest.mark.django_db(transaction=True)
def test_new_entry_that_is_sent_twice_at_once_is_stored_by_the_first_and_unchanged_for_the_second() -> None:
    alice = UserFactory(username="alice")

    receipts = after_waiting_for(lambda: receive(alice, None, [body()]), lambda: receive(alice, None, [body()]))
    assert (receipts, Entry.objects.count()) == ([Receipt(ID, "unchanged")], 1)


def test_session_of_an_agent_that_is_longer_than_its_column_is_cut(alice: User) -> None:
    receive(alice, None, [body() | {"agent_session": "s" * 300}])

    assert Entry.objects.get().agent_session == "s" * 200
