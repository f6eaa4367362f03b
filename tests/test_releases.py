"""From the database of every release to that of the code of the day: nothing is lost, and the server is ready."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from memoryserver.ops.backups import archive
from memoryserver.ops.backups.programs import suitable
from memoryserver.ops.backups.restoring import numbers
from tests.support.database.restored_server import Target

DATA = Path(__file__).parent / "data"
RELEASES = sorted(DATA.glob(f"release-*{archive.SUFFIX}"), key=lambda path: numbers(path.name))
FIRST = DATA / f"release-0.1.0{archive.SUFFIX}"

# Django and the schedules add rows to these at every migration; none may go.
GROWING = {"auth_permission", "django_content_type", "django_migrations", "django_q_schedule"}

# What a later migration changes on purpose: (table, column) with the reason.
CHANGED_ON_PURPOSE: dict[tuple[str, str], str] = {}


@pytest.fixture
def released(tmp_path: Path, transactional_db: None) -> Iterator[Target]:
    """An empty database for a release as it was."""
    made = Target(tmp_path / "released")
    yield made
    made.drop()


@pytest.fixture
def migrated(tmp_path: Path, transactional_db: None) -> Iterator[Target]:
    """An empty database for a release that is brought to the code of the day."""
    made = Target(tmp_path / "migrated")
    yield made
    made.drop()


@pytest.fixture
def new(tmp_path: Path, transactional_db: None) -> Iterator[Target]:
    """The schema that a new installation gets, restored as a backup's is: Postgres then writes conditions otherwise."""
    own, made = Target(tmp_path / "own", migrated=True), Target(tmp_path / "new")
    words = ["--quiet", "--set=ON_ERROR_STOP=1", f"--dbname={made.address}"]
    dump = "\n".join(schema(own.address))
    subprocess.run([program_of(own.address, "psql"), *words], input=dump, text=True, check=True, capture_output=True)
    own.drop()
    yield made
    made.drop()


def load_as_it_was(release: Path, target: Target) -> None:
    program = suitable(int(archive.read_manifest(release).pg_dump.partition(".")[0])).path("pg_restore")
    words = ["--no-owner", "--no-privileges", "--no-comments", "--exit-on-error", f"--dbname={target.address}"]
    subprocess.run([program, *words], input=b"".join(archive.read_dump(release)), check=True, capture_output=True)


def columns(target: Target) -> dict[str, list[str]]:
    """The columns of each table, without those that a migration changes on purpose."""
    rows = target.execute(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2"
    )
    found: dict[str, list[str]] = {}
    for table, column in rows:
        if (str(table), str(column)) not in CHANGED_ON_PURPOSE:
            found.setdefault(str(table), []).append(str(column))
    return found


def schema(address: str) -> list[str]:
    """The schema as pg_dump writes it, without the log's months, which depend on the day, and each run's own key.

    Comments are left out, as backups leave them out.
    """
    words = ["--schema-only", "--no-owner", "--no-privileges", "--no-comments", "--exclude-table=obslog_*_20*"]
    command = [program_of(address, "pg_dump"), *words, f"--dbname={address}"]
    dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line for line in dump.splitlines() if not re.match(r"\\(un)?restrict ", line)]


def program_of(address: str, name: str) -> str:
    with psycopg.connect(address) as session:
        return suitable(session.info.server_version // 10_000).path(name)


def rows_of(target: Target, table: str, names: list[str]) -> list[str]:
    fields = psycopg.sql.SQL(", ").join(map(psycopg.sql.Identifier, names))
    query = psycopg.sql.SQL("SELECT ROW({})::text FROM public.{}").format(fields, psycopg.sql.Identifier(table))
    with psycopg.connect(target.address) as session:
        return sorted(str(row) for (row,) in session.execute(query))


def test_first_release_is_kept_for_ever_and_every_release_is_small_and_whole() -> None:
    assert RELEASES[0] == FIRST
    for release in RELEASES:
        assert release.stat().st_size < 300_000
        manifest = archive.check(release, archive.silent)
        assert release.name == f"release-{manifest.version}{archive.SUFFIX}"
        filled = {table.partition("_")[0] for table, rows in manifest.rows.items() if rows}
        assert {"accounts", "capture", "ghap", "obslog", "trajectory", "vectors"} <= filled


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_filled_database_of_the_release_becomes_todays_without_loss(
    release: Path, released: Target, migrated: Target, new: Target
) -> None:
    load_as_it_was(release, released)

    done = migrated.manage("restore", str(release), MEMORYSERVER_SECRET_KEY="another")

    before, after = columns(released), columns(migrated)
    lost = {}
    for table, names in before.items():
        shared = [name for name in names if name in after.get(table, [])]
        old = rows_of(released, table, shared) if shared else ["no column left"]
        kept = rows_of(migrated, table, shared) if shared else []
        if not set(old) <= set(kept) or (table not in GROWING and len(old) != len(kept)):
            lost[table] = [row for row in old if row not in kept][:3]
    assert done.returncode == 0, done.stderr
    assert lost == {}
    assert migrated.manage("migrate", "--check").returncode == 0
    # What the released migrations made is what the squashed ones make, in the order of the columns too.
    assert schema(migrated.address) == schema(new.address)
