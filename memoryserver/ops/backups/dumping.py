"""Making a backup: pg_dump's output and the counts of the same moment, in one file."""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
import tempfile
from collections.abc import Generator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO

import psycopg
from django.conf import settings

from memoryserver import __version__
from memoryserver.common.text import one_line, shorten
from memoryserver.ops.backups import BackupError, archive, database
from memoryserver.ops.backups.archive import Manifest, Report
from memoryserver.ops.backups.programs import Programs, suitable

_CHUNK = 1 << 20


def make(path: Path, report: Report, *, with_key: bool = True) -> Manifest:
    """Write a backup of the running database to `path` and return its manifest.

    Writers are not blocked; the backup is of the moment at which it began. It has the secret key, without which no API
    token of it works, unless `with_key` is False. Raises BackupError; the file of before is then unchanged.
    """
    _check_target(path)
    with database.connect() as session:
        session.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        programs = suitable(database.major_of(database.server_version(session)))
        migrations = database.applied_migrations(session)
        rows = database.row_counts(session)
        describe = partial(
            Manifest,
            __version__,
            datetime.now(UTC).isoformat(timespec="seconds"),
            database.server_version(session),
            programs.version,
            migrations,
            rows,
            secret_key=with_key,
            key_fingerprint=fingerprint(settings.SECRET_KEY),
        )
        with contextlib.closing(_dump(programs, _snapshot(session), report)) as dump:
            return archive.write(path, dump, settings.SECRET_KEY if with_key else "", describe)


def fingerprint(key: str) -> str:
    """Return what tells one secret key from another, and nothing of the key."""
    return hashlib.sha256(b"memoryserver secret key:" + key.encode()).hexdigest()[:16]


def _check_target(path: Path) -> None:
    if not path.parent.is_dir():
        raise BackupError(f"{path.parent} is not a folder; make it first, or name another one")
    if path.is_dir():
        raise BackupError(f"{path} is a folder; name a file in it, such as {path / 'memoryserver.backup'}")
    if path.exists():
        try:
            archive.read_manifest(path)
        except BackupError as error:
            raise BackupError(f"{path} exists and is not a backup; name another file, or remove it") from error


def _snapshot(session: psycopg.Connection[tuple[object, ...]]) -> str:
    row = session.execute("SELECT pg_export_snapshot()").fetchone()
    assert row is not None
    return str(row[0])


def _dump(programs: Programs, snapshot: str, report: Report) -> Generator[bytes]:
    """Yield pg_dump's output. Raises BackupError at its end if pg_dump has failed, so that no file is completed."""
    address, environment = database.conninfo()
    command = [programs.path("pg_dump"), "--format=custom", "--compress=0", "--lock-wait-timeout=60s"]
    command += ["--no-owner", "--no-privileges", f"--snapshot={snapshot}", f"--dbname={address}"]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=environment
        )
        assert process.stdout is not None
        try:
            done = 0
            while chunk := process.stdout.read(_CHUNK):
                yield chunk
                done += len(chunk)
                report(done)
            if process.wait() != 0:
                raise BackupError(f"pg_dump failed: {first_error(errors)}; no backup was written")
        finally:
            process.stdout.close()
            process.kill()
            process.wait()


def first_error(errors: IO[bytes]) -> str:
    """Return the first error that a program of Postgres wrote to `errors`, as one line."""
    errors.seek(0)
    lines = errors.read().decode("utf-8", errors="replace").strip().splitlines()
    said = [line for line in lines if "error" in line.lower() or "fatal" in line.lower()] or lines
    return shorten(one_line(said[0]), 300) if said else "it wrote no reason"
