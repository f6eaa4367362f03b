"""Parts of an entry's body are those of the whole entry."""

from __future__ import annotations

from ghap.bodies import cause_of, surprise_of
from ghap.local import GHAPEntry
from tests.support.ghap_entries import falsified


def test_surprise_and_cause_are_those_of_the_entry() -> None:
    body = falsified()
    entry = GHAPEntry.from_dict(body)
    assert entry.root_cause is not None

    assert (surprise_of(body), cause_of(body)) == (entry.surprise, entry.root_cause.description)


def test_what_a_body_does_not_say_is_empty() -> None:
    body = falsified() | {"surprise": None, "root_cause": None}

    assert [surprise_of(body), cause_of(body), surprise_of({}), cause_of({})] == [""] * 4
