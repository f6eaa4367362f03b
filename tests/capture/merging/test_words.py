"""The words of a learning that carry its meaning."""

from __future__ import annotations

import pytest

from capture.merging.words import figures, is_negated, literals, objects, stems


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The tests require Redis", {"test", "need", "redi"}),
        ("It was written in the user's words", {"writ", "user", "word"}),
        ("Use it in this repo", {"use", "repository"}),
        ("GET is not it", {"get"}),
        ("", set()),
    ],
    ids=["synonym", "irregular form and possessive", "fillers", "name that looks like a filler", "empty"],
)
def test_stems_are_those_of_words_with_a_meaning(text: str, expected: set[str]) -> None:
    assert stems(text) == expected


def test_figures_are_numbers_as_written() -> None:
    assert figures("Python 3.11 at 10:30, twice 2") == {"3.11", "10:30", "2"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It isn’t read", True),
        ("npm instead of pnpm", True),
        ("Prefer npm over pnpm", True),
        ("The index is missing", True),
        ("It is noted", False),
    ],
    ids=["contraction", "contrast", "preference", "absence", "part of a word"],
)
def test_negation_is_a_word_of_its_own(text: str, expected: bool) -> None:
    assert is_negated(text) is expected


def test_literals_are_commands_paths_and_addresses() -> None:
    assert literals("Run `make  all` in src/app, see `x` and https://a.b/c.") == {"make  all", "src/app", "//a.b/c"}


def test_objects_are_what_follows_a_contrast_or_an_order() -> None:
    assert objects("Use pnpm, not npm; build before the start") == {"contrast": {"npm"}, "before": {"start"}}
