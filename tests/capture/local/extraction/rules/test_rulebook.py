"""That few patterns are tried on a sentence, with the same result as if all were."""

from __future__ import annotations

import re
import time

import pytest

from capture.local.extraction import sentence_filters
from capture.local.extraction.rules import rulebook
from capture.local.extraction.rules.agent import AGENT_RULES
from capture.local.extraction.rules.person import PERSON_RULES
from capture.local.extraction.rules.required_literals import BOUNDARY, key_word, rarest, required_literals
from capture.local.extraction.rules.rulebook import Rule, Rulebook, rule
from capture.local.extraction.sentence_learnings import learnings_in
from capture.local.extraction.sentences import sentences
from capture.local.transcripts.messages import Kind, Message, Role
from tests.capture.local.extraction.labels import SETS, samples
from tests.capture.local.extraction.rules.matching_texts import texts_for

BOOKS = {"agent": AGENT_RULES, "person": PERSON_RULES}
PATTERNS = [pattern for book in BOOKS.values() for each in book.rules for pattern in each.patterns]


def first_of_all(book: Rulebook, lowered: str, text: str) -> Rule | None:
    """Try every pattern on a sentence."""
    for each in book.rules:
        if (
            any(re.search(pattern, lowered) for pattern in each.patterns)
            and not (each.unless and re.search(each.unless, lowered))
            and (sentence_filters.names_code(text) or not each.code)
        ):
            return each
    return None


@pytest.mark.parametrize("pattern", PATTERNS)
def test_rule_holds_for_every_text_that_its_pattern_matches(pattern: str):
    book = Rulebook([Rule("learning", 0.8, "the only one", (pattern,))])
    texts = list(texts_for(pattern, number=12))
    assert texts
    assert [text for text in texts if book.first(text, text) is None] == []


@pytest.mark.parametrize("name", BOOKS)
def test_labelled_sentences_get_the_rule_that_trying_every_pattern_finds(name: str):
    book = BOOKS[name]
    texts = [message.text for which in SETS for sample in samples(which) for message in sample.messages]
    count = 0
    for text in texts:
        for sentence in sentences(text):
            lowered = sentence_filters.without_quotations(sentence.text).lower()
            expected = first_of_all(book, lowered, sentence.text)
            assert book.first(lowered, sentence.text) is expected
            count += expected is not None
    assert count > 100


def test_first_rule_in_order_wins_unless_its_exception_matches():
    book = Rulebook(
        [
            rule("solution", 0.8, "first", r"\bcut\b.*\bby\b"),
            rule("learning", 0.8, "second", r"\breduc\w+ .*\bby\b"),
            rule("gotcha", 0.8, "third", r"\d->\d", unless="never"),
            rule("gotcha", 0.8, "fourth", "Quickly", code=True),
        ]
    )

    def reason(text: str) -> str | None:
        match = book.first(text, text)
        return match.reason if match else None

    assert reason("cut and reduced by half") == "first"
    assert reason("reduced by half, cutting corners") == "second"
    assert reason("cuttlefish by the sea") is None
    assert reason("irreducible by hand") is None
    assert reason("went 3->2") == "third"
    assert reason("never 3->2") is None
    assert reason("quickly") is None
    assert reason("quickly: `ls`") == "fourth"


@pytest.mark.parametrize(
    ("text", "kind"),
    [("the (root cause)", "solution"), ("a->b", "gotcha"), ("the uprooted causes", None), ("", None)],
)
def test_rule_is_found_whatever_is_beside_its_words(text: str, kind: str | None):
    book = Rulebook([rule("solution", 0.8, "caused", r"\broot cause\b"), rule("gotcha", 0.8, "arrow", "->")])
    found = book.first(text, text)
    assert (found and found.type) == kind


def test_rule_whose_pattern_requires_nothing_raises_value_error():
    with pytest.raises(ValueError, match="requires no literal"):
        Rulebook([rule("solution", 0.8, "any", r"\w+")]).first("word", "word")


def test_more_words_than_are_remembered_still_find_their_rules(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(rulebook, "_MOST_WORDS", 3)
    book = Rulebook([rule("solution", 0.8, "caused", r"\bcause\b.*\beffect\b")])
    text = "the cause of one two three four five is no effect"
    assert [book.first(text, text) is not None for _ in range(3)] == [True] * 3


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
def test_the_longest_sentence_costs_every_pattern_time_that_grows_with_its_length(name: str):
    pieces = [piece.lower() for piece in HOSTILE if "\n" not in piece]
    for each in BOOKS[name].rules:
        for pattern in each.patterns:
            words = " ".join(sorted(map(key_word, rarest(required_literals(pattern))))).replace(BOUNDARY, "")[:60]
            for piece in (*pieces[:6], f"{words} "):
                short, long = (_searched(re.compile(pattern), (piece * 600)[:length]) for length in (600, 2_400))
                assert long < 12 * short + 0.001, pattern


def _searched(pattern: re.Pattern[str], text: str) -> float:
    best = 1e9
    for _ in range(3):
        start = time.process_time()
        pattern.search(text)
        best = min(best, time.process_time() - start)
    return best
