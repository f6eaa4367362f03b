from __future__ import annotations

import socket

import pytest

from memoryserver.ops.preflight import PreflightError, check_database, check_pgvector, check_port


def test_port_in_use_is_named_with_the_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(PreflightError, match=f"cannot listen on 127.0.0.1:{port} .* MEMORYSERVER_PORT"):
            check_port("127.0.0.1", port)


def test_free_port_passes() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    check_port("127.0.0.1", port)


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
