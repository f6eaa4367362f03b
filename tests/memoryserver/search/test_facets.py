"""Counts of a search's results by source and by the values of the filters."""

from __future__ import annotations

from collections import Counter

from ghap.intake import receive
from memoryserver.accounts.models import User
from memoryserver.search import facets
from memoryserver.vectors.models import Record
from tests.support.rows.ghap_entries import body, falsified


def test_records_are_counted_by_source_and_filter(alice: User) -> None:
    receive(alice, None, [body(), falsified(id="ghap_20261120_150000_a1b2c3")])
    keys = list(Record.objects.filter(collection="ghap_full").values_list("pk", flat=True))
    assert facets.counts(keys, ("outcome", "type")) == {
        "source": Counter(ghap=2),
        "outcome": Counter(confirmed=1, falsified=1),
        "type": Counter(),
    }


def test_no_records_are_no_counts(db: None) -> None:
    assert facets.counts([], ("outcome",)) == {"source": Counter(), "outcome": Counter()}
