"""Entries as exported data."""

from __future__ import annotations

from ghap.intake import receive
from ghap.models import Entry
from ghap.transfer import KIND
from memoryserver.accounts.models import User
from tests.support.rows.ghap_entries import body


def test_item_is_the_entry_as_it_was_sent_and_is_stored_again_once(alice: User, charlie: User) -> None:
    receive(alice, None, [body()])
    item = KIND.item_of(Entry.objects.get())

    assert [KIND.load(charlie, None, [item])[0].status for _ in range(2)] == ["stored", "unchanged"]
    assert Entry.objects.get(user=charlie).body == item


def test_invalid_item_is_refused_with_the_reason(alice: User) -> None:
    (outcome,) = KIND.load(alice, None, [{"id": "1"}])
    assert (outcome.status, outcome.reason != "") == ("refused", True)
