"""That questions in plain words find what answers them, with the real model: the short form of bench/relevance.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from bench.support.relevance.conversations import LOOKED_AT, TUNED_ON, UNSEEN, conversation
from bench.support.relevance.data import Question, chat
from bench.support.relevance.dialogues import NAMES, dialogue
from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.embedding.onnx.service import OnnxService
from memoryserver.search import engine
from memoryserver.search.engine import QueryVector
from memoryserver.search.plan import Scope
from memoryserver.search.service import Mode, Search, search
from memoryserver.vectors.models import Record
from memoryserver.vectors.store import Item, PgVectorStore
from tests.memoryserver.search.notes import BORN, put, registered

TEXTS, QUESTIONS = chat().texts, chat().questions[1::2]


@pytest.fixture
def turns(alice: User, real_model: OnnxService) -> dict[int, str]:
    """The chat, each turn a note; which key each record has."""
    store = PgVectorStore(alice)
    store.ensure_collection("notes_a", model=real_model.model_name, dimension=real_model.dimension)
    vectors = real_model.embed_batch([text.text for text in TEXTS])
    store.upsert(
        "notes_a",
        [Item(text.key, text.text, BORN, vector=vector) for text, vector in zip(TEXTS, vectors, strict=True)],
    )
    return dict(Record.objects.values_list("pk", "key"))


@pytest.fixture
def notes() -> Iterator[None]:
    with registered():
        yield


def within_ten(rankings: Sequence[Sequence[str]]) -> int:
    return sum(bool(question.answers & set(ranked[:10])) for question, ranked in zip(QUESTIONS, rankings, strict=True))


def by_rank_alone(one: Sequence[str], other: Sequence[str]) -> list[str]:
    scores: dict[str, float] = {}
    for ranking in (one, other):
        for rank, key in enumerate(ranking, 1):
            scores[key] = scores.get(key, 0) + 1 / (60 + rank)
    return sorted(scores, key=lambda key: -scores[key])


def test_fusion_finds_more_than_either_ranking_and_than_their_fusion_by_rank_alone(
    turns: dict[int, str], real_model: OnnxService
) -> None:
    def ranked(question: Question, vector: list[float] | None, by_words: bool) -> list[str]:
        meaning = None if vector is None else QueryVector(vector, real_model.model_name, ["notes_a"])
        scope = Scope.of(Record.objects.filter(collection="notes_a"))
        found = engine.rank(scope, question.words, meaning, by_words=by_words)
        return [turns[row.record_id] for row in found]

    vectors = real_model.embed_batch([question.words for question in QUESTIONS])
    asked = list(zip(QUESTIONS, vectors, strict=True))
    words = [ranked(question, None, True) for question, _ in asked]
    meaning = [ranked(question, vector, False) for question, vector in asked]
    both = [ranked(question, vector, True) for question, vector in asked]

    plain = [by_rank_alone(one, other) for one, other in zip(words, meaning, strict=True)]
    assert within_ten(both) > max(within_ten(words), within_ten(plain))
    assert within_ten(both) >= within_ten(meaning)


@pytest.mark.parametrize("name", [*NAMES, *TUNED_ON, *LOOKED_AT, *UNSEEN])
def test_evidence_of_each_question_about_a_dialogue_is_a_turn_of_it(name: str) -> None:
    collected = dialogue(name) if name in NAMES else conversation(name)
    keys = {text.key for text in collected.texts}

    assert len(keys) == len(collected.texts)
    assert [question for question in collected.questions if not question.answers <= keys] == []


def test_questions_about_a_conversation_find_more_in_its_course(
    alice: User, real_model: OnnxService, notes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the turns around each it would find hardly more than by meaning alone."""
    monkeypatch.setattr(embedding, "ready_service", lambda: real_model)
    talk = conversation(UNSEEN[1])
    vectors = real_model.embed_batch([text.text for text in talk.texts])
    store = PgVectorStore(alice)
    store.ensure_collection("notes_a", model=real_model.model_name, dimension=real_model.dimension)
    store.upsert(
        "notes_a",
        [
            Item(text.key, text.text, text.day or BORN, vector=vector)
            for text, vector in zip(talk.texts, vectors, strict=True)
        ],
    )

    def found(mode: Mode) -> int:
        answers = [search(alice, Search(question.words, source="notes", mode=mode)) for question in talk.questions]
        return sum(
            any(hit.key in question.answers for hit in answer.hits)
            for question, answer in zip(talk.questions, answers, strict=True)
        )

    assert found("hybrid") >= 1.1 * found("semantic")


def test_error_code_that_means_nothing_to_the_model_is_found_first(
    alice: User, real_model: OnnxService, notes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "ready_service", lambda: real_model)
    for number in range(9):
        put(alice, f"k{number}", f"job failed with E{number:04}X while uploading", embedder=real_model)

    assert search(alice, Search("what was E0007X about", source="notes")).hits[0].key == "k7"
