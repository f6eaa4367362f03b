"""Where results stand that later ones contradict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from memoryserver.search.engine import Ranked
from memoryserver.search.folding import Folded
from memoryserver.search.ordering.outdated import behind_later
from memoryserver.search.sources import Description, Source, register
from memoryserver.vectors.models import Record
from tests.memoryserver.search.notes import registered


def results(*keys: str) -> list[Folded]:
    return [Folded(Ranked(number, 1, "notes_a", key, "", 1.0, None, None)) for number, key in enumerate(keys)]


def describe(records: Sequence[Record]) -> dict[int, Description]:
    return {}


def order(keys: str, later: Mapping[str, set[str]]) -> str:
    with registered():
        register(Source("notes", {"notes_a": "first"}, describe, lambda *_: [], lambda *_: [], later=lambda _: later))
        return "".join(result.best.key for result in behind_later(results(*keys)))


@pytest.mark.parametrize(
    ("keys", "later", "expected"),
    [
        ("abcd", {"a": {"c"}}, "bcad"),
        ("abcd", {"c": {"a"}}, "abcd"),
        ("abcd", {"a": {"d", "b"}}, "bacd"),
        ("abcd", {"a": {"x"}}, "abcd"),
        ("abcd", {"b": {"d"}, "a": {"b"}}, "cdba"),
    ],
    ids=["after it", "is already", "after the first", "the later one is not found", "after one that was moved"],
)
def test_contradicted_result_comes_right_after_the_first_that_contradicts_it(
    keys: str, later: Mapping[str, set[str]], expected: str
) -> None:
    assert order(keys, later) == expected
