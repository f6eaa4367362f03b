"""Where Postgres is: the one that `DATABASE_URL` names, or the embedded one in the data folder."""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from memoryserver.environment import env

PGVECTOR_MINIMUM = (0, 8, 4)
"""Older ones can corrupt an HNSW index while vacuuming, or leave its graph broken."""

_SOCKET_NAME = ".s.PGSQL.5432"
_SOCKET_PATH_LIMIT = 100  # the system allows 107 bytes on Linux, 103 on macOS


def configuration(data_dir: Path) -> dict[str, Any]:
    """Django's `DATABASES["default"]`.

    Connections are kept for a minute by each thread and checked before use: nearly all of a pool's
    gain, and safe in the job cluster, whose forks must not share sockets. Raises ImproperlyConfigured where
    `DATABASE_URL` is no address of a Postgres.
    """
    settings = _own_server() if uses_own_server() else _embedded(data_dir)
    settings |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    settings.setdefault("OPTIONS", {})
    return settings


def uses_own_server() -> bool:
    """Whether `DATABASE_URL` names a Postgres of the operator's own, so that none is started."""
    return bool(env.str("DATABASE_URL", default=""))


def embedded_data_dir(data_dir: Path) -> Path:
    """Where the embedded Postgres keeps its files."""
    return data_dir / "postgres"


def embedded_socket_dir(data_dir: Path) -> Path:
    """Where the embedded Postgres puts its socket; there is no TCP port.

    In the data folder, or, where that path is longer than a socket's may be, in a folder of the
    system's temporary one that only this user can enter.
    """
    folder = data_dir / "socket"
    if len(os.fsencode(folder / _SOCKET_NAME)) <= _SOCKET_PATH_LIMIT:
        return folder
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"memoryserver-{os.getuid()}-{digest}"


def _own_server() -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said below, in words that name what to do
        settings = dict(env.db_url("DATABASE_URL"))
    if settings.get("ENGINE") != "django.db.backends.postgresql":
        raise ImproperlyConfigured("DATABASE_URL must be an address like postgres://user:password@host:5432/name")
    return settings


def _embedded(data_dir: Path) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "memoryserver",
        "USER": "memoryserver",
        "HOST": str(embedded_socket_dir(data_dir)),
    }
