"""The client, against the real server and against ones that end at the wrong moment."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memoryserver.embedding import EmbeddingInterruptedError, EmbeddingModelError, EmbeddingUnavailableError, passes
from memoryserver.embedding.services import BATCH
from memoryserver.embedding.shared import client as module
from memoryserver.embedding.shared import server
from memoryserver.embedding.shared.client import SharedService, responds
from memoryserver.embedding.shared.scheduler import Scheduler
from tests.memoryserver.embedding.shared.serving import serving
from tests.memoryserver.embedding.shared.test_scheduler import Gate, until
from tests.support.embedder import TokenEmbedder, WordEmbedder

MANY = [f"text {number}" for number in range(BATCH + 10)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "embedding.sock"


@pytest.fixture
def service(path: Path) -> SharedService:
    return SharedService("words-64", str(path))


def ending(path: Path, requests: int) -> threading.Thread:
    """A server that takes so many requests, and closes each connection without an answer; then it is gone."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def take() -> None:
        for _ in range(requests):
            connection, _ = listener.accept()
            connection.recv(65_536)
            connection.close()
        listener.close()
        path.unlink()

    thread = threading.Thread(target=take)
    thread.start()
    return thread


def test_vectors_are_those_of_the_process_in_the_order_of_the_texts(path: Path, service: SharedService) -> None:
    with serving(path, WordEmbedder()):
        vectors = service.embed_batch(MANY)

        assert vectors == [pytest.approx(vector, abs=1e-6) for vector in WordEmbedder().embed_batch(MANY)]
        assert service.embed_batch([]) == []
        assert (service.model_name, service.dimension) == ("words-64", 64)


def test_threads_at_once_have_connections_of_their_own(path: Path, service: SharedService) -> None:
    with serving(path, WordEmbedder()), ThreadPoolExecutor(8) as threads:
        vectors = list(threads.map(service.embed, MANY))

    assert vectors == [pytest.approx(vector, abs=1e-6) for vector in WordEmbedder().embed_batch(MANY)]


@pytest.mark.parametrize("texts", [["one"], MANY], ids=["question", "batch"])
@pytest.mark.parametrize("left", [False, True], ids=["never started", "killed"])
def test_process_that_does_not_run_is_unavailable_at_once(
    texts: list[str], left: bool, path: Path, service: SharedService
) -> None:
    if left:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.close()
    began = time.monotonic()

    with pytest.raises(EmbeddingUnavailableError, match="the embedding process does not run") as caught:
        service.embed_batch(texts)

    assert type(caught.value) is EmbeddingUnavailableError
    assert time.monotonic() - began < module.RESTART / 3


def test_forward_pass_counts_without_the_wait_in_the_queue_of_the_process(
    path: Path, service: SharedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "Scheduler", lambda: Scheduler(threads=1))
    gate = Gate()
    with serving(path, gate), ThreadPoolExecutor(2) as threads:
        first = threads.submit(service.embed, "first")
        until(lambda: gate.passes)
        second, began = threads.submit(seconds_of, service, "second"), time.monotonic()
        time.sleep(0.2)
        gate.open.set()
        seconds, waited = second.result(), time.monotonic() - began
        first.result()

    assert 0 < seconds < waited - 0.1


def seconds_of(service: SharedService, text: str) -> float:
    with passes.measured() as spent:
        service.embed(text)
    return spent.seconds


@pytest.mark.parametrize(("texts", "told"), [(["one"], True), (MANY[:BATCH], False)], ids=["question", "batch"])
def test_tokens_come_with_a_question_and_their_codes_with_any_text(
    texts: list[str], told: bool, path: Path, service: SharedService
) -> None:
    with serving(path, TokenEmbedder()):
        vectors = service.embed_batch(texts)

    expected = TokenEmbedder().embed_batch(texts)
    assert [getattr(vector, "codes", None) for vector in vectors] == [vector.codes for vector in expected]  # type: ignore[attr-defined]
    assert [bool(getattr(vector, "tokens", None)) for vector in vectors] == [told] * len(texts)


def test_model_that_is_being_loaded_is_unavailable_with_the_process_words(path: Path) -> None:
    with (
        serving(path, WordEmbedder()),
        pytest.raises(EmbeddingUnavailableError, match="other is being loaded"),
    ):
        SharedService("other", str(path)).load()


def test_text_that_cannot_be_embedded_is_an_error_of_the_model(path: Path, service: SharedService) -> None:
    failing = Gate()
    failing.open.set()
    with serving(path, failing), pytest.raises(EmbeddingModelError, match="cannot embed this") as caught:
        service.embed("poison")

    assert type(caught.value) is EmbeddingModelError


def test_question_during_which_the_process_ends_is_interrupted_at_once(path: Path, service: SharedService) -> None:
    thread = ending(path, 1)

    with pytest.raises(EmbeddingInterruptedError, match="ended, or hung, while it embedded 1 texts"):
        service.embed("one")

    thread.join()


def test_batch_during_which_the_process_ends_is_sent_again_to_its_successor(path: Path, service: SharedService) -> None:
    ended = ending(path, 1)
    served = threading.Event()

    def start_again() -> None:
        ended.join()
        time.sleep(0.3)
        with serving(path, WordEmbedder()):
            served.wait(30)

    thread = threading.Thread(target=start_again)
    thread.start()

    vectors = service.embed_batch(MANY)

    served.set()
    thread.join()
    assert vectors == [pytest.approx(vector, abs=1e-6) for vector in WordEmbedder().embed_batch(MANY)]


def test_batch_that_ends_each_process_is_given_up(path: Path, service: SharedService, monkeypatch: Any) -> None:
    monkeypatch.setattr(SharedService, "_wait_for_restart", lambda _: None)
    thread = ending(path, 3)

    with pytest.raises(EmbeddingInterruptedError, match="while it embedded 64 texts"):
        service.embed_batch(MANY)

    thread.join()


def test_batch_is_given_up_if_the_process_does_not_come_back(
    path: Path, service: SharedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RESTART", 0.2)
    thread = ending(path, 1)

    with pytest.raises(EmbeddingInterruptedError):
        service.embed_batch(MANY)

    thread.join()


def test_process_that_hangs_interrupts(path: Path, service: SharedService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TIMEOUT_FEW", 0.1)
    hanging = Gate()
    with serving(path, hanging):
        with pytest.raises(EmbeddingInterruptedError):
            service.embed("one")
        hanging.open.set()


def test_texts_are_embedded_while_the_caller_does_something_else(path: Path, service: SharedService) -> None:
    gate = Gate()
    with serving(path, gate):
        first, second = service.begin(["first"]), service.begin(["second"])
        until(lambda: len(gate.passes) == 2)
        gate.open.set()

        vectors = [request.vectors(30) for request in (second, first)]

    assert vectors == [[pytest.approx(WordEmbedder().embed(text), abs=1e-6)] for text in ("second", "first")]


def test_vectors_that_take_too_long_are_given_up_and_their_connection_is_not_used_again(
    path: Path, service: SharedService
) -> None:
    gate = Gate()
    with serving(path, gate):
        with pytest.raises(TimeoutError):
            service.begin(["first"]).vectors(0.05)
        gate.open.set()

        assert service.embed("second") == pytest.approx(WordEmbedder().embed("second"), abs=1e-6)


def test_connection_that_was_closed_meanwhile_is_replaced_silently(path: Path, service: SharedService) -> None:
    with serving(path, WordEmbedder()):
        service.embed("one")
    with serving(path, WordEmbedder()):
        assert service.embed("two") == pytest.approx(WordEmbedder().embed("two"))


def test_fault_says_whether_the_process_responds(path: Path, service: SharedService) -> None:
    before = service.fault()
    with serving(path, WordEmbedder()):
        meanwhile = service.fault()

    assert (before, meanwhile) == ("the embedding process does not respond", None)


def test_process_that_accepts_and_says_nothing_does_not_respond(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        assert not responds(path, timeout=0.05)


@pytest.mark.parametrize(
    "use", [lambda service: service.load(), lambda service: service.dimension, lambda service: service.embed("a")]
)
def test_every_use_says_that_the_process_does_not_run(
    use: Callable[[SharedService], object], service: SharedService
) -> None:
    with pytest.raises(EmbeddingUnavailableError, match="does not run"):
        use(service)
