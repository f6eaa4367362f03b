"""An empty database for a backup to be restored into, and what is in a database, to be compared."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from django.db import connection
from psycopg.conninfo import make_conninfo

from capture.jobs import embed_pending
from memoryserver.accounts import tokens
from memoryserver.jobs import enqueue
from memoryserver.ops.backups.database import conninfo
from memoryserver.ops.schedules import ensure_schedules
from tests.support.processes.server_process import ROOT
from tests.support.rows import many_rows
from tests.support.rows.factories import TeamFactory, UserFactory

Contents = dict[str, list[str]]

_TABLES = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"
# Without the constraints whose names differ between versions of Postgres: NOT NULL, and those of partitions.
_SHAPE = {
    "indexes": "SELECT tablename || ' ' || indexname FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
    "constraints": "SELECT conrelid::regclass || ' ' || conname || ' ' || contype::text FROM pg_constraint "
    "WHERE connamespace = 'public'::regnamespace AND contype <> 'n' AND conparentid = 0 ORDER BY 1",
    "triggers": "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1",
    "sequences": "SELECT sequencename || ' ' || coalesce(last_value, 0) FROM pg_sequences ORDER BY 1",
}


KINDS = (
    many_rows.captures,
    many_rows.contradictions,
    many_rows.sources,
    many_rows.calls,
    many_rows.findings,
    many_rows.members,
    many_rows.entries,
    many_rows.observations,
    many_rows.projects,
    many_rows.laptops,
)


def fill() -> str:
    """Some rows of every kind, learnings with their vectors, and a token, whose text is returned."""
    for kind in KINDS:
        kind(UserFactory(username=kind.__name__), 30)
    user = UserFactory(username="ada")
    many_rows.learnings(user, 30)
    embed_pending()
    TeamFactory(name="crew", people=[user])
    enqueue("memoryserver.ops.jobs.heartbeat")
    ensure_schedules()
    return tokens.issue(user, "laptop")[1]


class Target:
    """A database beside the tests' own, with a data folder, as a server on another machine has them.

    It is empty, or a copy of the tests' own if it is `migrated`.
    """

    def __init__(self, data_dir: Path, *, migrated: bool = False) -> None:
        self.data_dir = data_dir
        self.name = f"target_{uuid.uuid4().hex[:8]}"
        parameters, _ = conninfo()
        self.address = make_conninfo(parameters, dbname=self.name)
        with self._maintenance() as session:
            template = f"TEMPLATE {connection.settings_dict['NAME']}" if migrated else ""
            connection.close()  # a database that somebody uses cannot be copied
            session.execute(f"CREATE DATABASE {self.name} {template}")
        self.environment = {
            **os.environ,
            "DATABASE_URL": _url(connection.settings_dict, self.name),
            "MEMORYSERVER_DATA": str(data_dir),
        }

    def manage(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment | environment, capture_output=True, text=True, check=False
        )

    def contents(self) -> Contents:
        return contents(self.address)

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.address, autocommit=True) as session:
            cursor = session.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []

    def drop(self) -> None:
        with self._maintenance() as session:
            session.execute(f"DROP DATABASE {self.name} WITH (FORCE)")

    def _maintenance(self) -> psycopg.Connection[tuple[object, ...]]:
        parameters, environment = conninfo()
        return psycopg.connect(
            make_conninfo(parameters, dbname="postgres"), password=environment.get("PGPASSWORD"), autocommit=True
        )


def _url(place: dict[str, Any], name: str) -> str:
    """The address of the database `name` on the server that the tests use, by its socket or by its port."""
    user = quote(str(place["USER"]), safe="")
    secret = f":{quote(place['PASSWORD'], safe='')}" if place["PASSWORD"] else ""
    if str(place["HOST"]).startswith("/"):
        return f"postgres://{user}{secret}@/{place['HOST']}/{name}"
    return f"postgres://{user}{secret}@{place['HOST']}:{place['PORT'] or 5432}/{name}"


def contents(address: str) -> Contents:
    """Every row of every table as text, and the names of what guards them."""
    found: Contents = {}
    with psycopg.connect(address) as session:
        session.execute("SET search_path = public")
        for (table,) in session.execute(_TABLES).fetchall():
            query = psycopg.sql.SQL("SELECT {0}::text FROM {0}").format(psycopg.sql.Identifier(table))
            found[table] = sorted(str(row) for (row,) in session.execute(query))
        for name, statement in _SHAPE.items():
            found[name] = [str(row) for (row,) in session.execute(statement)]
    return found
