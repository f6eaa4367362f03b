"""That a sentence is looked at by few patterns and judged as if it were looked at by all."""

from __future__ import annotations

import re
import time

import pytest

from capture.local.extraction import sentence_filters
from capture.local.extraction.rules.agent import AGENT_RULES
from capture.local.extraction.rules.person import PERSON_RULES
from capture.local.extraction.rules.rulebook import Rule, Rulebook, put, rule
from capture.local.extraction.sentence_learnings import learnings_in
from capture.local.extraction.sentences import sentences
from capture.local.transcripts.messages import Kind, Message, Role
from tests.capture.local.extraction.labels import SETS, samples
from tests.capture.local.extraction.wordings import texts_for

BOOKS = {"agent": AGENT_RULES, "person": PERSON_RULES}


def asking_all(book: Rulebook, lowered: str, text: str) -> Rule | None:
    for one in book.rules:
        for way in one.wordings:
            if (
                way.pattern.search(lowered)
                and not (one.unless and one.unless.search(lowered))
                and (sentence_filters.names_code(text) or not one.code)
            ):
                return one
    return None


@pytest.mark.parametrize("name", BOOKS)
def test_whatever_a_wording_matches_is_found_by_its_stems(name: str):
    book = BOOKS[name]
    for one in book.rules:
        for way in one.wordings:
            alone = Rulebook([rule(one.type, 0.8, "alone", way)])
            texts = list(texts_for(way.pattern, number=40))
            assert len(texts) > 5, way.pattern.pattern
            assert [text for text in texts if alone.first(text, text) is None] == [], way.stems


@pytest.mark.parametrize("name", BOOKS)
def test_looking_words_up_finds_the_same_rule_as_asking_every_one(name: str):
    book = BOOKS[name]
    texts = [message.text for which in SETS for sample in samples(which) for message in sample.messages]
    found = 0
    for text in texts:
        for sentence in sentences(text):
            lowered = sentence_filters.unquoted(sentence.text).lower()
            expected = asking_all(book, lowered, sentence.text)
            assert book.first(lowered, sentence.text) is expected
            assert expected is None or book.may_hold(lowered)
            found += expected is not None
    assert found > 100


def test_a_rulebook_asks_its_rules_in_order_and_knows_short_words_from_the_beginnings_of_long_ones():
    book = Rulebook(
        [
            rule("solution", 0.8, "first", put("cut", r"\bcut\b.*\bby\b")),
            rule("learning", 0.8, "second", put("reduc & by ", r"\bby\b")),
            rule("gotcha", 0.8, "third", put("->", r"\d->\d"), unless="never"),
        ]
    )

    def reason(text: str) -> str | None:
        found = book.first(text, text)
        return found.reason if found else None

    assert reason("cut and reduced by half") == "first"
    assert reason("reduced by half, cutting corners") == "second"
    assert reason("cuttlefish by the sea") is None
    assert reason("irreducible by hand") is None
    assert reason("went 3->2") == "third"
    assert reason("never 3->2") is None


HOSTILE = [
    "because ",
    "the issue was that ",
    "fixed it by doing ",
    "i decided to use a over b because ",
    "from 3 s to 2 s by ",
    "does not work unless ",
    "the the the the ",
    "(" * 8,
    '"a b c ',
    "`a ",
    "**a** ",
    "[a](b) ",
    "e.g. ",
    "a.b. ",
    ". ",
    "1. a\n",
    "- the root cause was x\n",
    "> q\n",
    "\u201ca b c ",
    "a\u2019s ",
    "was was was were ",
    "in this project all all every each here ",
    "<a-b>",
    "I found that that that ",
]


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("role", [Role.AGENT, Role.PERSON])
def test_a_text_that_is_four_times_as_long_takes_no_more_than_its_share(piece: str, role: Role):
    def cost(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        best = 1e9
        for _ in range(5):
            sentences.cache_clear()
            start = time.process_time()
            list(learnings_in(Message(1, role, Kind.WORDS, text=text), text, ()))
            best = min(best, time.process_time() - start)
        return best

    # Quadratic time would be 16 times as much; half a millisecond is what a timer and a first call may add.
    assert cost(5_600) < 8 * cost(1_400) + 0.0005


@pytest.mark.parametrize("name", BOOKS)
def test_the_longest_sentence_costs_every_wording_time_that_grows_with_its_length(name: str):
    pieces = [piece.lower() for piece in HOSTILE if "\n" not in piece]
    for one in BOOKS[name].rules:
        for way in one.wordings:
            stems = " ".join(stem for stem in way.stems if re.match(r"\w", stem))[:60]
            for piece in (*pieces[:6], f"{stems} "):
                short, long = ((piece * 600)[:length] for length in (600, 2_400))
                assert _searched(way.pattern, long) < 12 * _searched(way.pattern, short) + 0.001, way.pattern.pattern


def _searched(pattern: re.Pattern[str], text: str) -> float:
    best = 1e9
    for _ in range(3):
        start = time.process_time()
        pattern.search(text)
        best = min(best, time.process_time() - start)
    return best
