from __future__ import annotations

import socket

import pytest

from memoryserver.ops.preflight import PreflightError, check_database, check_pgvector, listen


def test_port_in_use_is_named_with_the_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(PreflightError) as caught:
            listen("127.0.0.1", port)

    assert str(caught.value) == (
        f"cannot listen on 127.0.0.1:{port} (Address already in use); "
        "choose others with --host and --port, or MEMORYSERVER_HOST and MEMORYSERVER_PORT"
    )


@pytest.mark.parametrize(
    ("host", "port", "reason"),
    [
        pytest.param("127.0.0.1", 70_000, "a port is at most 65535", id="port-too-high"),
        pytest.param("127.0.0.1", -1, "a port is at most 65535", id="port-negative"),
        pytest.param("no-such-host.invalid", 0, "", id="host-unknown"),
        pytest.param("192.0.2.1", 0, "Cannot assign requested address", id="host-of-another-machine"),
    ],
)
def test_address_that_cannot_be_used_is_named(host: str, port: int, reason: str) -> None:
    with pytest.raises(PreflightError) as caught:
        listen(host, port)

    assert str(caught.value).startswith(f"cannot listen on {host}:{port} (")
    assert reason in str(caught.value)


def test_free_port_is_listened_on() -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        pass


@pytest.mark.parametrize("version", ["0.8.4", "0.8.10", "0.9.0", "1.0"])
def test_pgvector_from_the_minimum_on_passes(version: str) -> None:
    check_pgvector(version)


@pytest.mark.parametrize("version", ["0.8.3", "0.7.9", "0.5"])
def test_older_pgvector_is_refused_by_name(version: str) -> None:
    with pytest.raises(PreflightError, match=f"has pgvector {version}, .* 0.8.4 or later is needed"):
        check_pgvector(version)


def test_postgres_without_pgvector_is_refused() -> None:
    with pytest.raises(PreflightError, match=r"has no pgvector; install pgvector 0\.8\.4 or later"):
        check_pgvector(None)


def test_tests_own_database_passes(db: None) -> None:
    check_database()
