"""A server that takes connections and says nothing fails what needs it, within seconds, and slow statements go on."""

from __future__ import annotations

import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from memoryserver.connections import silence
from tests.support.fakes.silent_server import silent_server
from tests.support.fakes.suspendable import SuspendableWay, suspendable_way

WITHIN, TIMEOUT, PAUSE = 0.3, 0.3, 1.0


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silence, "ANSWER_WITHIN", WITHIN)
    monkeypatch.setattr(silence, "ASK_TIMEOUT", TIMEOUT)
    monkeypatch.setattr(silence, "PAUSE", PAUSE)


@pytest.fixture
def way(transactional_db: None) -> Iterator[SuspendableWay]:
    target = Path(connections["default"].settings_dict["HOST"])
    # A socket's path is short.
    with tempfile.TemporaryDirectory() as folder, suspendable_way(Path(folder), target) as way:
        yield way
    silence.silences.clear()  # before the tables are emptied


def connected(way: SuspendableWay) -> BaseDatabaseWrapper:
    """A connection of its own to the tests' database, by the way that can be suspended."""
    connection = connections.create_connection("default")
    connection.settings_dict = {**connection.settings_dict, "HOST": str(way.folder)}
    connection.settings_dict["OPTIONS"] = {**connection.settings_dict["OPTIONS"], "connect_timeout": 2}
    connection.inc_thread_sharing()
    return connection


@pytest.fixture
def kept(way: SuspendableWay) -> Iterator[BaseDatabaseWrapper]:
    connection = connected(way)
    connection.ensure_connection()
    yield connection
    connection.close()


@pytest.fixture
def other(way: SuspendableWay) -> Iterator[BaseDatabaseWrapper]:
    connection = connected(way)
    connection.ensure_connection()
    yield connection
    connection.close()


def one(connection: BaseDatabaseWrapper, sql: str = "SELECT 1") -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])


def seconds_to_fail(connection: BaseDatabaseWrapper) -> tuple[float, str]:
    began = time.monotonic()
    with pytest.raises(OperationalError) as error:
        one(connection)
    return time.monotonic() - began, str(error.value)


def test_statement_of_a_silent_server_fails_and_what_follows_fails_at_once(
    way: SuspendableWay, kept: BaseDatabaseWrapper
) -> None:
    way.suspend()

    took, text = seconds_to_fail(kept)
    assert WITHIN + TIMEOUT <= took < 30  # without the question it would take for ever
    assert text == "the server has not answered for 1 s"

    kept.close_if_unusable_or_obsolete()  # the next request
    took, text = seconds_to_fail(kept)
    assert took < TIMEOUT
    assert text == "the server does not answer"


def test_kept_connection_of_another_thread_is_not_waited_for_in_a_silence(
    way: SuspendableWay, kept: BaseDatabaseWrapper, other: BaseDatabaseWrapper
) -> None:
    way.suspend()
    seconds_to_fail(kept)
    other.close_if_unusable_or_obsolete()

    assert seconds_to_fail(other)[1] == "the server does not answer"


def test_new_connection_that_is_not_answered_begins_a_silence(way: SuspendableWay) -> None:
    way.suspend()
    connection = connected(way)

    assert seconds_to_fail(connection)[1] == "connection timeout expired"
    assert seconds_to_fail(connection)[1] == "the server does not answer"


def test_one_attempt_is_made_after_each_pause_and_ends_the_silence(
    way: SuspendableWay, kept: BaseDatabaseWrapper
) -> None:
    way.suspend()
    seconds_to_fail(kept)
    kept.close_if_unusable_or_obsolete()
    time.sleep(PAUSE)
    assert seconds_to_fail(kept)[1] == "connection timeout expired"
    assert seconds_to_fail(kept)[1] == "the server does not answer"

    way.resume()
    time.sleep(PAUSE)

    assert one(kept) == 1
    assert not silence.silences["default"].is_noticed()


def test_several_callers_make_one_attempt() -> None:
    one_server = silence.Silence()
    one_server.begin()
    time.sleep(PAUSE)
    refused = []

    def call() -> None:
        try:
            one_server.check()
        except psycopg.OperationalError:
            refused.append(1)

    threads = [threading.Thread(target=call) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(refused) == 4


def test_slow_statement_of_a_server_that_answers_goes_on(kept: BaseDatabaseWrapper) -> None:
    assert one(kept, f"SELECT 7 FROM pg_sleep({5 * WITHIN})") == 7


def test_server_that_answers_later_than_it_is_asked_loses_nothing(
    way: SuspendableWay, kept: BaseDatabaseWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silence, "ASK_TIMEOUT", 60.0)
    way.suspend()
    threading.Timer(3 * WITHIN, way.resume).start()

    assert one(kept) == 1


def test_server_behind_a_pool_is_asked_instead_of_the_pool(way: SuspendableWay, kept: BaseDatabaseWrapper) -> None:
    assert kept.connection is not None
    with silent_server() as server:
        kept.connection.asked = ("127.0.0.1", int(server.url.rpartition(":")[2]))

        with pytest.raises(OperationalError):
            one(kept, f"SELECT 1 FROM pg_sleep({10 * (WITHIN + TIMEOUT)})")


def test_settings_of_a_pool_name_the_server_behind_it(way: SuspendableWay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_DIRECT_DATABASE_URL", "postgres://someone@db.example:6000/memory")
    asked = []
    for pooled in (False, True):
        connection = connected(way)
        connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"] = pooled
        connection.ensure_connection()
        assert connection.connection is not None
        asked.append(connection.connection.asked)
        connection.close()

    assert asked == [None, ("db.example", 6000)]


@pytest.mark.parametrize("listens", [True, False])
def test_address_at_which_nothing_answers_is_told(listens: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        if not listens:
            listener.close()

        assert silence.answers("127.0.0.1", port) is False


def test_folder_without_a_socket_does_not_answer(tmp_path: Path) -> None:
    assert silence.answers(str(tmp_path), 5432) is False
