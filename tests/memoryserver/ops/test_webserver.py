from __future__ import annotations

import gc
import itertools
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memoryserver.ops import webserver


def answer(listener: socket.socket, response: bytes) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(10_000)
        connection.sendall(response)


@pytest.mark.parametrize(
    ("response", "responds"),
    [
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", True, id="ok"),
        pytest.param(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", True, id="refused-host"),
        pytest.param(b"nonsense\r\n\r\n", False, id="not-http"),
        pytest.param(b"", False, id="connection-closed"),
    ],
)
def test_server_responds_if_it_answers_in_http(
    response: bytes, responds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # not asked about the own machine
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=answer, args=[listener, response])
        server.start()

        assert webserver.responds(listener) is responds
        server.join()


def test_server_that_accepts_no_connection_does_not_respond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webserver, "PROBE_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert webserver.responds(listener) is False


def test_after_the_first_requests_what_they_loaded_is_no_garbage_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webserver, "FIRST_REQUESTS", 3)
    monkeypatch.setattr(webserver, "_answered", itertools.count(1))
    loaded: list[object] = [[]]  # something that the collector knows
    frozen = [gc.get_freeze_count()]
    for _ in range(4):
        webserver.keep_what_is_loaded(None, None, None, None)
        frozen.append(gc.get_freeze_count())

    assert [after > before for before, after in itertools.pairwise(frozen)] == [False, False, True, False]
    assert loaded == [[]]


@pytest.mark.parametrize(("before", "after"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "4"}, "4")])
def test_products_of_numpy_are_computed_by_one_thread_unless_the_environment_says_otherwise(
    tmp_path: Path, before: dict[str, str], after: str
) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"} | before
    environment |= {"MEMORYSERVER_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "memoryserver.settings"}
    program = (
        "import os, sys, django; django.setup(); from memoryserver.ops.webserver import WebServer; WebServer(0);"
        "print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True, text=True)

    assert done.stdout.split() == [after, "False"]
