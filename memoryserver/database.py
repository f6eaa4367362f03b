"""Database settings: the Postgres that `DATABASE_URL` names, or the embedded one in the data folder."""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper

from memoryserver.environment import env, flag

PGVECTOR_MINIMUM = (0, 8, 4)
"""Older ones can corrupt an HNSW index while vacuuming, or leave its graph broken."""

CONNECT_TIMEOUT = 5
"""Seconds until a database that does not answer a new connection counts as down; an address may name others."""

TCP_USER_TIMEOUT = 10_000
"""Milliseconds until a connection is lost whose other end no longer receives; an address may name others."""

_SOCKET_NAME = ".s.PGSQL.5432"
_SOCKET_PATH_LIMIT = 100  # the system allows 107 bytes on Linux, 103 on macOS


def configurations(data_dir: Path) -> dict[str, dict[str, Any]]:
    """Return Django's `DATABASES`: `default`, and `replica` if MEMORYSERVER_REPLICA_URL names one.

    Raises ImproperlyConfigured as `configuration` does.
    """
    databases = {"default": configuration(data_dir)}
    if env.str("MEMORYSERVER_REPLICA_URL", default=""):
        databases["replica"] = _with_connections(_from_address("MEMORYSERVER_REPLICA_URL"))
        databases["replica"]["TEST"] = {"MIRROR": "default"}
    return databases


def configuration(data_dir: Path) -> dict[str, Any]:
    """Return Django's `DATABASES["default"]`.

    Each thread keeps its connection for a minute and checks it before use: nearly all of a pool's gain, and safe in
    the job cluster, whose forks must not share sockets. Raises ImproperlyConfigured if `DATABASE_URL` is not a
    Postgres address.
    """
    return _with_connections(_from_address("DATABASE_URL") if uses_external_server() else _embedded(data_dir))


def direct_configuration() -> dict[str, Any] | None:
    """Return the settings of MEMORYSERVER_DIRECT_DATABASE_URL: the database past PgBouncer; None if it is not set.

    Raises ImproperlyConfigured as `configuration` does.
    """
    name = "MEMORYSERVER_DIRECT_DATABASE_URL"
    return _from_address(name) if env.str(name, default="") else None


def is_pooled(database: BaseDatabaseWrapper) -> bool:
    """Return whether PgBouncer pools the connections by transaction, as MEMORYSERVER_PGBOUNCER says.

    Each transaction may then have another session: nothing that belongs to one outlives its transaction.
    """
    return bool(database.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"))


def uses_external_server() -> bool:
    """Return whether `DATABASE_URL` names an external Postgres, so that the embedded one is not started."""
    return bool(env.str("DATABASE_URL", default=""))


def way_out() -> str:
    """Return what to do about a database that cannot be reached."""
    return "start Postgres, or correct DATABASE_URL" if uses_external_server() else "start the server: manage.py up"


def embedded_data_dir(data_dir: Path) -> Path:
    """Return the folder of the embedded Postgres' data files."""
    return data_dir / "postgres"


def embedded_socket_dir(data_dir: Path) -> Path:
    """Return the folder of the embedded Postgres' socket; it has no TCP port.

    It is in the data folder. If that path is too long for a socket, it is a folder in the system's temporary folder
    that only this user can enter.
    """
    folder = data_dir / "socket"
    if len(os.fsencode(folder / _SOCKET_NAME)) <= _SOCKET_PATH_LIMIT:
        return folder
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"memoryserver-{os.getuid()}-{digest}"


def _with_connections(settings: dict[str, Any]) -> dict[str, Any]:
    settings |= {"ENGINE": "memoryserver.connections", "CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    options = settings.setdefault("OPTIONS", {})
    options.setdefault("connect_timeout", CONNECT_TIMEOUT)
    options.setdefault("tcp_user_timeout", TCP_USER_TIMEOUT)
    if flag("MEMORYSERVER_PGBOUNCER"):
        settings["DISABLE_SERVER_SIDE_CURSORS"] = True  # the next transaction may have another session
    return settings


def _from_address(name: str) -> dict[str, Any]:
    """Return the settings of the address in the variable `name`. Raises ImproperlyConfigured."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the error below says what to do instead
        try:
            settings = dict(env.db_url(name))
        except ValueError:  # the port is no number
            settings = {}
    if settings.get("ENGINE") != "django.db.backends.postgresql":
        raise ImproperlyConfigured(f"{name} must be an address like postgres://user:password@host:5432/name")
    settings["HOST"] = unquote(settings["HOST"] or "")  # the folder of a Unix socket is given as %2Frun%2Fpostgresql
    return settings


def _embedded(data_dir: Path) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "memoryserver",
        "USER": "memoryserver",
        "HOST": str(embedded_socket_dir(data_dir)),
    }
