"""Ages in words."""

from __future__ import annotations

import pytest

from memorycli.reading.ages import ago


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "a minute ago"),
        (119, "a minute ago"),
        (120, "2 minutes ago"),
        (7199, "120 minutes ago"),
        (7200, "2 hours ago"),
        (200_000, "2 days ago"),
    ],
)
def test_age_is_given_in_the_largest_unit_of_which_there_are_two(seconds: float, words: str) -> None:
    assert ago(seconds) == words
