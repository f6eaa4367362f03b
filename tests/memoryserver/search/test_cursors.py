"""Cursors of searches."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest

from memoryserver.keyset import InvalidCursorError
from memoryserver.search import cursors
from memoryserver.search.scope import Search

ASKED = Search("why does it hang", project="shop", filters={"outcome": "falsified"})


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize("other", [ASKED, replace(ASKED, limit=50), replace(ASKED, offset=20)])
def test_cursor_of_the_same_search_is_the_place_in_it(other: Search) -> None:
    assert (cursors.position_of(other, cursors.encode(ASKED, 20)), cursors.position_of(other, "")) == (20, 0)


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, query="why"),
        replace(ASKED, mode="lexical"),
        replace(ASKED, project=None),
        replace(ASKED, filters={}),
        replace(ASKED, since="7d"),
    ],
)
def test_cursor_of_another_search_is_refused(other: Search) -> None:
    with pytest.raises(InvalidCursorError, match="cursor: invalid; use the one of the last response"):
        cursors.position_of(other, cursors.encode(ASKED, 20))


@pytest.mark.parametrize("place", ["-1", "201", "true", '"1"', "1.5", "null", "[]", str(10**30)])
def test_place_out_of_the_ranking_is_refused(place: str) -> None:
    digest = base64.urlsafe_b64decode(cursors.encode(ASKED, 1) + "==").decode().partition(",")[2]

    with pytest.raises(InvalidCursorError):
        cursors.position_of(ASKED, encoded(f"[{place},{digest}"))


@pytest.mark.parametrize(
    "text", ["x", "é", "a" * 10_000, encoded("7"), encoded("{}"), encoded("[1]"), encoded("[" * 100_000)]
)
def test_text_that_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(InvalidCursorError):
        cursors.position_of(ASKED, text)
