"""Database settings: the embedded Postgres and an external one."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryserver.database import configuration, configurations, embedded_socket_dir, uses_external_server


def test_without_an_address_the_embedded_server_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    settings = configuration(tmp_path)
    assert not uses_external_server()
    assert (settings["NAME"], settings["HOST"]) == ("memoryserver", str(tmp_path / "socket"))


def test_address_names_the_external_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://someone:secret@db.example:6432/memory?sslmode=require")
    settings = configuration(tmp_path)
    assert uses_external_server()
    named = {name: settings[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")}
    assert named == {"USER": "someone", "PASSWORD": "secret", "HOST": "db.example", "PORT": 6432, "NAME": "memory"}
    assert (settings["OPTIONS"], settings["CONN_HEALTH_CHECKS"]) == (
        {"sslmode": "require", "connect_timeout": 5, "tcp_user_timeout": 10_000},
        True,
    )


def test_address_may_name_how_long_a_connection_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://someone@db.example/memory?connect_timeout=3")

    assert int(configuration(tmp_path)["OPTIONS"]["connect_timeout"]) == 3


def test_address_may_name_the_folder_of_a_unix_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://someone@%2Frun%2FPostgreSQL/memory")

    assert configuration(tmp_path)["HOST"] == "/run/PostgreSQL"


@pytest.mark.parametrize("address", ["sqlite:///file", "mysql://db.example/memory", "nonsense"])
def test_other_addresses_are_refused_with_an_example(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", address)
    with pytest.raises(ImproperlyConfigured, match="postgres://user:password@host:5432/name"):
        configuration(tmp_path)


def test_socket_of_a_long_path_is_in_the_temporary_folder(tmp_path: Path) -> None:
    near, far = tmp_path / "x", tmp_path / ("x" * 120)
    assert embedded_socket_dir(near) == near / "socket"
    assert embedded_socket_dir(far).name.startswith("memoryserver-")
    assert len(str(embedded_socket_dir(far))) < 100
    assert embedded_socket_dir(far) != embedded_socket_dir(far / "y")


def test_replica_is_a_second_database_of_the_same_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_REPLICA_URL", "postgres://reader@replica.example/memory")

    databases = configurations(tmp_path)

    assert sorted(databases) == ["default", "replica"]
    assert (databases["replica"]["HOST"], databases["replica"]["CONN_HEALTH_CHECKS"]) == ("replica.example", True)


def test_wrong_address_of_a_replica_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_REPLICA_URL", "nonsense")

    with pytest.raises(ImproperlyConfigured, match="MEMORYSERVER_REPLICA_URL must be an address like postgres://"):
        configurations(tmp_path)


def test_pooled_connections_have_no_cursors_on_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "DISABLE_SERVER_SIDE_CURSORS" not in configuration(tmp_path)

    monkeypatch.setenv("MEMORYSERVER_PGBOUNCER", "1")

    assert configuration(tmp_path)["DISABLE_SERVER_SIDE_CURSORS"] is True
