"""Which results are folded into one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryserver.accounts.models import User
from memoryserver.search.engine import Ranked
from memoryserver.search.folding import EXTRA, fold
from memoryserver.vectors.models import Record
from tests.memoryserver.search.notes import put

pytestmark = pytest.mark.usefixtures("notes")

LONG = "After the certificate expired the importer retried each batch three times and moved it to the dead letter queue"


def ranked_as(record: Record, rank: int) -> Ranked:
    return Ranked(record.pk, record.user_id, record.collection, record.key, record.terms, 1.0, rank, rank)


def folded(*keys: str, collection: str = "notes_a") -> dict[str, list[str]]:
    """Fold the records with `keys`, ranked in that order; the keys of the results with what is folded into them."""
    records = {record.key: record for record in Record.objects.filter(collection=collection)}
    ranked = [ranked_as(records[key], rank) for rank, key in enumerate(keys, 1)]
    names = {record.pk: key for key, record in records.items()}
    return {names[result.best.record_id]: result.same for result in fold(ranked)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs in the Makefile.", "use tabs  in Makefile!"),
        (LONG, LONG + ", too"),
        (f"Note: {LONG}", LONG),
    ],
    ids=["case, punctuation and articles", "a word more", "a word less"],
)
def test_near_equal_texts_are_folded_into_the_better_one(alice: User, one: str, other: str) -> None:
    put(alice, "one", one)
    put(alice, "other", other)

    assert folded("one", "other") == {"one": ["notes/other"]}
    assert folded("other", "one") == {"other": ["notes/one"]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs, not spaces.", "Use spaces, not tabs."),
        (LONG, f"{LONG} never"),
        (LONG, f"{LONG} 5"),
        ("retry 3 times", "retry 5 times"),
        ("The outcome was confirmed", "The outcome was falsified"),
        ("Use tabs", "Use tabs everywhere"),
    ],
    ids=["another order", "a negation", "a number", "other numbers", "another word", "short, a word more"],
)
def test_texts_that_say_something_else_are_not_folded(alice: User, one: str, other: str) -> None:
    put(alice, "one", one)
    put(alice, "other", other)

    assert folded("one", "other") == {"one": [], "other": []}


def test_whole_documents_are_compared_not_the_parts_that_were_found(alice: User) -> None:
    for key, text in (("one", "export hangs"), ("other", "import is slow"), ("copy", "The export hangs")):
        put(alice, key, text)
        put(alice, key, "wrong assumption", collection="notes_b")

    assert folded("one", "other", "copy", collection="notes_b") == {"one": ["notes/copy"], "other": []}


def near_equal(one: list[str], other: list[str]) -> bool:
    """By the definition: all words of the shorter in their order, and at most one in ten more, none that decides."""
    shorter, longer = sorted((one, other), key=len)
    rest = iter(longer)
    more = len(longer) - len(shorter)
    return (
        more <= len(shorter) // EXTRA
        and all(word in rest for word in shorter)
        and not (set(longer) - set(shorter)) & DECIDING
    )


DECIDING = {"not", "3"}
WORDS = ["index", "cache", "queue", "not", "3"]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), min_size=8, max_size=24),
    st.lists(st.lists(st.tuples(st.integers(0, 24), st.sampled_from(["", *WORDS])), max_size=3), max_size=8),
)
def test_text_is_folded_into_the_best_result_that_is_near_equal_and_only_then(
    text: list[str], edits: list[list[tuple[int, str]]]
) -> None:
    texts = [text, *(edited(text, each) for each in edits)]
    ranked = [Ranked(number, 1, "notes_a", str(number), " ".join(each), 1.0, 1, 1) for number, each in enumerate(texts)]

    results = fold(ranked)

    kept = [result.best.record_id for result in results]
    into = {int(key.removeprefix("notes/")): result.best.record_id for result in results for key in result.same}
    for number, each in enumerate(texts):
        equal = [before for before in kept if before < number and near_equal(texts[before], each)]
        assert into.get(number) == next(iter(equal), None)
        assert (number in kept) is not bool(equal)


def edited(text: list[str], edits: list[tuple[int, str]]) -> list[str]:
    """Put each word in at its place, or take the one there out if it is blank."""
    words = list(text)
    for place, word in edits:
        words[place : place + (not word)] = [word] if word else []
    return words
