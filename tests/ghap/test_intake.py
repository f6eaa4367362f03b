from __future__ import annotations

from django.test import TestCase
from django_q.models import OrmQ

from ghap.intake import Receipt, receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from memoryserver.vectors.models import Record
from tests.support.ghap_entries import body, falsified

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
