from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryserver.ops.watchdog import PIPE_VARIABLE, SupervisorGoneError, Watchdog, notify_systemd


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The supervisor's end of the pipe; the other end is in the environment."""
    read_end, write_end = os.pipe()
    monkeypatch.setenv(PIPE_VARIABLE, str(write_end))
    yield read_end
    os.close(write_end)


def test_sign_of_life_arrives_at_the_supervisor(pipe: int) -> None:
    watchdog = Watchdog()

    watchdog.alive()
    watchdog.alive()

    assert os.read(pipe, 10) == b".."
    os.close(pipe)


def test_variable_is_not_passed_on_to_children(pipe: int) -> None:
    Watchdog()

    assert PIPE_VARIABLE not in os.environ
    os.close(pipe)


def test_supervisor_that_does_not_read_blocks_nobody(pipe: int) -> None:
    watchdog = Watchdog()

    for _ in range(100_000):
        watchdog.alive()

    os.close(pipe)


def test_supervisor_that_has_died_is_noticed(pipe: int) -> None:
    watchdog = Watchdog()
    os.close(pipe)

    with pytest.raises(SupervisorGoneError):
        watchdog.alive()


def test_without_a_supervisor_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)

    Watchdog().alive()


@pytest.mark.parametrize("abstract", [False, True], ids=["path", "abstract"])
def test_systemd_is_notified(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, abstract: bool) -> None:
    address = f"@memoryserver-test-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address.replace("@", "\0") if abstract else address)
        monkeypatch.setenv("NOTIFY_SOCKET", address)

        notify_systemd("READY=1")
        Watchdog().alive()

        assert [systemd.recv(100), systemd.recv(100)] == [b"READY=1", b"WATCHDOG=1"]


def test_systemd_that_does_not_listen_stops_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))

    notify_systemd("READY=1")
