from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.search import service
from memoryserver.search.reranking import Reranker
from memoryserver.search.service import Mode, Search, search
from tests.memoryserver.search.notes import put
from tests.support.fakes.broken_server import BROKEN, broken_server
from tests.support.fakes.http_listener import listening
from tests.support.fakes.rerank_server import RerankHandler, handler

DOCUMENTS = ["a x", "b xxx", "c", "d xx"]
NAMES = [document[0] for document in DOCUMENTS]


@contextmanager
def endpoint(settings: Any, handling: type[RerankHandler]) -> Iterator[None]:
    with listening(handling) as url:
        settings.RERANK_URL = f"{url}/v1/rerank"
        yield


def test_results_are_in_the_order_of_the_endpoints_scores(settings: Any) -> None:
    with endpoint(settings, handler()):
        assert Reranker().order("why", NAMES, DOCUMENTS) == ["b", "d", "a", "c"]


def test_request_has_the_common_form(settings: Any) -> None:
    settings.RERANK_MODEL, settings.RERANK_API_KEY = "rerank-1", "key"
    handling = handler()
    with endpoint(settings, handling):
        Reranker().order("why", ["a", "b"], ["short", "y" * 3000])

    documents = ["short", handling.requests[0]["documents"][1]]
    assert handling.requests == [{"query": "why", "documents": documents, "top_n": 2, "model": "rerank-1"}]
    assert len(documents[1]) <= 2000
    assert handling.authorizations == ["Bearer key"]


def test_request_without_model_and_key_has_neither(settings: Any) -> None:
    handling = handler()
    with endpoint(settings, handling):
        Reranker().order("why", ["a"], ["text"])

    assert handling.requests == [{"query": "why", "documents": ["text"], "top_n": 1}]
    assert handling.authorizations == [None]


def test_results_that_the_endpoint_leaves_out_come_last(settings: Any) -> None:
    with endpoint(settings, handler(answer=lambda results: {"results": results[2:]})):
        assert Reranker().order("why", NAMES, DOCUMENTS) == ["d", "c", "a", "b"]


@pytest.mark.parametrize(
    "changes",
    [
        {"status": 500},
        {"delay": 0.5},
        {"answer": lambda _: b"no JSON"},
        {"answer": lambda _: {"data": []}},
        {"answer": lambda _: {"results": []}},
        {"answer": lambda results: {"results": [*results, {"index": 4, "relevance_score": 1}]}},
        {"answer": lambda results: {"results": [*results, {"index": -1, "relevance_score": 1}]}},
        {"answer": lambda _: {"results": [{"index": 0, "relevance_score": "high"}]}},
        {"answer": lambda _: {"results": [{"index": 0, "relevance_score": float("nan")}]}},
    ],
    ids=["an error", "slow", "no JSON", "another form", "none", "unknown", "negative", "no number", "not finite"],
)
def test_endpoint_that_fails_changes_no_order_and_is_not_called_for_a_while(
    settings: Any, changes: dict[str, Any]
) -> None:
    handling, reranker = handler(**changes), Reranker(timeout=0.2)
    with endpoint(settings, handling):
        before = reranker.enabled()
        assert reranker.order("why", NAMES, DOCUMENTS) == NAMES

    assert (before, reranker.enabled(), len(handling.requests)) == (True, False, 1)


def test_endpoint_that_is_gone_is_called_again_after_the_pause(settings: Any) -> None:
    reranker = Reranker(pause=0)
    settings.RERANK_URL = "http://127.0.0.1:9/rerank"

    assert reranker.order("why", NAMES, DOCUMENTS) == NAMES
    assert reranker.enabled()


def test_without_an_address_there_is_no_reranker(settings: Any) -> None:
    settings.RERANK_URL = ""

    assert not Reranker().enabled()


def test_nothing_is_sent_without_results(settings: Any) -> None:
    handling = handler()
    with endpoint(settings, handling):
        assert Reranker().order("why", [], []) == []

    assert handling.requests == []


@pytest.fixture
def ask(alice: User, notes: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[list[str], list[str]]]:
    """The keys that a search finds and the phases of its time; `much` is the better answer for the endpoint alone."""
    embedding.load()
    monkeypatch.setattr(service, "reranker", Reranker())
    put(alice, "plain", "payment worker")
    put(alice, "much", "payment worker xxx")

    def found(**criteria: Any) -> tuple[list[str], list[str]]:
        answer = search(alice, Search("payment worker", source="notes", **criteria))
        return [hit.key for hit in answer.hits], list(answer.timing)

    return found


@pytest.mark.parametrize(
    ("mode", "keys", "phases"),
    [
        ("hybrid", ["much", "plain"], ["embed", "model", "rank", "rerank", "rest"]),
        ("semantic", ["plain", "much"], ["embed", "model", "rank", "rest"]),
        ("lexical", ["plain", "much"], ["embed", "model", "rank", "rest"]),
    ],
)
def test_hybrid_search_is_reranked(
    settings: Any, ask: Callable[..., Any], mode: Mode, keys: list[str], phases: list[str]
) -> None:
    with endpoint(settings, handler()):
        assert ask(mode=mode) == (keys, phases)


def test_pages_follow_the_reranked_order(settings: Any, ask: Callable[..., Any]) -> None:
    with endpoint(settings, handler()):
        assert [ask(limit=1, offset=offset)[0] for offset in (0, 1)] == [["much"], ["plain"]]


def test_search_has_its_plain_order_while_the_endpoint_fails(settings: Any, ask: Callable[..., Any]) -> None:
    with endpoint(settings, handler(status=503)):
        assert [ask()[0], ask()[0]] == [["plain", "much"]] * 2


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
def test_results_keep_their_order_if_the_answer_is_broken_off(answer: bytes, settings: Any) -> None:
    with broken_server(answer) as port:
        settings.RERANK_URL = f"http://127.0.0.1:{port}/v1/rerank"
        assert Reranker().order("why", NAMES, DOCUMENTS) == NAMES
