"""Parts of an entry's body are those of the whole entry."""

from __future__ import annotations

from ghap.bodies import cause_of, lesson_of, result_of, surprise_of
from ghap.local import GHAPEntry
from tests.support.requests.vendor_tokens import survives
from tests.support.rows.ghap_entries import falsified


def test_parts_of_a_body_are_those_of_the_entry() -> None:
    body = falsified()
    entry = GHAPEntry.from_dict(body)
    assert entry.root_cause is not None
    assert entry.outcome is not None

    parts = (surprise_of(body), cause_of(body), lesson_of(body), result_of(body))
    assert parts == (entry.surprise, entry.root_cause.description, entry.lesson, entry.outcome.result)


def test_what_a_body_does_not_say_is_empty() -> None:
    body = falsified() | {"surprise": None, "root_cause": None, "lesson": None}

    assert [surprise_of(body), cause_of(body), surprise_of({}), cause_of({})] == [""] * 4
    assert [lesson_of(body), lesson_of({})] == [None, None]


def test_secret_in_a_stored_part_is_not_shown() -> None:
    token = "ghp_" + "aB3" * 12
    shown = surprise_of(falsified() | {"surprise": f"The key was {token}"})

    assert (shown[:12], survives(token, shown)) == ("The key was ", False)
