from __future__ import annotations

import pytest

from bench.support.duplicate_pairs import DIFFERENT, SAME
from capture.merging.likeness import say_the_same


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_pairs_labelled_as_different_are_told_apart_by_their_words(first: str, second: str) -> None:
    assert (say_the_same(first, second), say_the_same(second, first)) == (False, False)


def test_four_of_five_pairs_labelled_as_the_same_are_recognised() -> None:
    recognised = [pair for pair in SAME if say_the_same(*pair)]

    assert len(recognised) >= 32


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("The API tests require Redis", "API tests need Redis", True),
        ("Dates are stored in UTC", "Dates are stored in UTC and shown in the time zone of each user", False),
        ("The header is required for GET", "The header is required for POST", False),
        ("The tests run with `mise run test`", "The tests run with `mise run test:api`", False),
        ("The config is read from `~/.app/config.toml`", "The config is read from `~/.config/app.toml`", False),
        ("The request times out after 5 seconds", "Requests have a timeout of 5 seconds", True),
        ("The `billing-eu` worker needs a drained queue", "The `billing` worker needs a drained queue", False),
        ("The loss of `sigma_a` is not scaled", "The loss of `sigma_e` is not scaled", False),
        ("The loss of `sigma_a` is not scaled", "The loss of sigma_a is not scaled", True),
        ("", "", False),
        ("This is it", "It is this", False),
        ("nimm pnpm statt npm", "nimm npm statt pnpm", False),
        ("npm ではなく pnpm を使う", "pnpm ではなく npm を使う", False),
        ("npm ではなく pnpm を使う", "npm ではなく `pnpm` を使う。", True),
    ],
    ids=[
        "synonym",
        "much is added",
        "names that look like words",
        "other command",
        "other path",
        "two words for one",
        "name in code with a word less",
        "names in code that differ in a letter",
        "name in back-ticks or not",
        "empty",
        "no words that carry a meaning",
        "opposite in German",
        "opposite in Japanese",
        "same in Japanese",
    ],
)
def test_words_decide(first: str, second: str, expected: bool) -> None:
    assert (say_the_same(first, second), say_the_same(second, first)) == (expected, expected)
