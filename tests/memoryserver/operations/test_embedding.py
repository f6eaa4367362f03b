"""What waits to be embedded."""

from __future__ import annotations

from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import User
from memoryserver.operations import embedding
from tests.support.rows.ghap_entries import body


def test_waiting_and_stuck_rows_are_counted_by_kind(alice: User) -> None:
    receive(alice, None, [body(), body(id="ghap_20261120_150000_a1b2c3")])
    Entry.objects.filter(ghap_id__contains="150000").update(embed_attempts=5)
    rows = {row.label: (row.waiting, row.stuck) for row in embedding.rows()}
    assert rows == {"capture.learning": (0, 0), "ghap.entry": (2, 1), "obslog.unembedded": (0, 0)}
    assert embedding.retry("ghap.entry") == 1
