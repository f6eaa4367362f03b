"""What counts as found."""

from __future__ import annotations

import pytest

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.embedding import Background
from memoryserver.search import floor
from memoryserver.search.engine import EVIDENCE_FLOOR, Ranked
from memoryserver.search.service import Mode, Search, search
from tests.memoryserver.search.notes import put

MODEL = Background(mean=0.1, deviation=0.1)
RESULT, CLEAR, WITHOUT_WORDS = (MODEL.above(n) for n in (floor.RESULT, floor.CLEAR, floor.WITHOUT_WORDS))
HALF = MODEL.above(floor.CLEAR - floor.WORTH_OF_WORDS / 2)


def by_meaning(record_id: int, cosine: float) -> Ranked:
    return Ranked(record_id, 1, "notes_a", "key", "", 0.0, record_id, None, cosine)


def by_words(record_id: int, share: float, cosine: float | None = None) -> Ranked:
    return Ranked(record_id, 1, "notes_a", "key", "", 0.0, None if cosine is None else 1, record_id, cosine, share)


def passing(*ranked: Ranked, query: str = "voucher expiry", known_words: bool = True) -> list[int]:
    return [row.record_id for row in floor.passing(ranked, MODEL, query, known_words=known_words)]


def test_result_needs_a_cosine_above_the_background_or_enough_of_the_words() -> None:
    ranked = [
        by_words(1, 1.0),
        by_meaning(2, RESULT),
        by_meaning(3, RESULT - 0.001),
        by_words(4, EVIDENCE_FLOOR),
        by_words(5, EVIDENCE_FLOOR + 0.001),
    ]

    assert passing(*ranked) == [1, 2, 5]


@pytest.mark.parametrize(
    ("best", "expected"),
    [
        (by_meaning(1, CLEAR), [1, 9]),
        (by_meaning(1, CLEAR - 0.001), []),
        (by_words(1, floor.CLEAR_SHARE), [1, 9]),
        (by_words(1, floor.CLEAR_SHARE - 0.001), []),
        (by_words(1, floor.ALL_WORDS, -1.0), [1, 9]),
        (by_words(1, floor.ALL_WORDS - 0.001, -1.0), []),
        (by_words(1, 0.5, HALF + 0.001), [1, 9]),
        (by_words(1, 0.5, HALF - 0.001), []),
    ],
    ids=[
        *("near", "not near"),
        *("half of the words, not embedded", "less than half of the words, not embedded"),
        *("all words, whatever it means", "most words, about something else"),
        *("half of the words, half as near", "half of the words, less than half as near"),
    ],
)
def test_without_one_clear_result_there_are_none(best: Ranked, expected: list[int]) -> None:
    assert passing(best, by_meaning(9, RESULT), by_words(8, 0.1)) == expected


@pytest.mark.parametrize(
    ("cosine", "expected"), [(WITHOUT_WORDS, [1]), (WITHOUT_WORDS - 0.001, [])], ids=["near", "far"]
)
def test_query_without_a_known_word_needs_a_nearer_text(cosine: float, expected: list[int]) -> None:
    assert passing(by_meaning(1, cosine), known_words=False) == expected


@pytest.mark.parametrize("known_words", [True, False], ids=["known words", "no known word"])
@pytest.mark.parametrize(("cosine", "expected"), [(CLEAR, [1]), (CLEAR - 0.001, [])], ids=["near", "far"])
def test_query_in_a_sentence_needs_no_known_word(cosine: float, expected: list[int], known_words: bool) -> None:
    ranked = by_meaning(1, cosine)
    assert passing(ranked, query="Where does the build machine sit", known_words=known_words) == expected


@pytest.mark.parametrize(("query", "keys"), [("payment", ["one"]), ("payments zzzqqq", ["one"]), ("zzzqqq", [])])
@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_gibberish_needs_a_nearer_text_in_each_mode(
    alice: User, notes: None, monkeypatch: pytest.MonkeyPatch, mode: Mode, query: str, keys: list[str]
) -> None:
    """Every text is nearer than CLEAR and farther than WITHOUT_WORDS."""
    embedding.load()
    put(alice, "one", "payment worker")
    monkeypatch.setattr(floor, "RESULT", -100.0)
    monkeypatch.setattr(floor, "CLEAR", -100.0)
    monkeypatch.setattr(floor, "WITHOUT_WORDS", 100.0)

    assert [hit.key for hit in search(alice, Search(query, mode=mode, source="notes")).hits] == keys


def test_nothing_ranked_is_nothing_found() -> None:
    assert passing() == []
