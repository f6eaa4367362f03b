"""Restoring a backup: all of it in one transaction, or nothing."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from memoryserver import __version__
from memoryserver.common.counted import counted
from memoryserver.common.files import write_atomic
from memoryserver.environment import KEY_FILE, env
from memoryserver.ops.backups import BackupError, archive, database
from memoryserver.ops.backups.archive import Manifest, Report
from memoryserver.ops.backups.dumping import fingerprint
from memoryserver.ops.backups.loading import load
from memoryserver.ops.backups.programs import Programs, suitable
from memoryserver.ops.preflight import PreflightError, check_database
from memoryserver.ops.schedules import ensure_schedules


def restore(path: Path, report: Report, *, replace: bool = False) -> Manifest:
    """Put the data of the backup at `path` in place of this server's and bring it to this release.

    Returns the manifest. The backup's secret key becomes this server's, unless that comes from the environment: see
    `key_differs`. Raises BackupError, with everything unchanged, if the file is damaged or of a newer release, if the
    server has users (unless `replace`), or if somebody uses the database.
    """
    manifest = archive.check(path, archive.silent)
    _refuse_newer(path, manifest)
    programs = _check_server(path, manifest, replace=replace)
    load(path, programs, manifest, report)
    if manifest.secret_key and not env.str("MEMORYSERVER_SECRET_KEY", default=""):
        _put_key(archive.read_key(path))
    call_command("migrate", interactive=False, verbosity=0)
    ensure_schedules()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return manifest


def key_differs(manifest: Manifest) -> bool:
    """Return whether the server signs with another key than the backup's, so that its API tokens do not work."""
    if manifest.secret_key and not env.str("MEMORYSERVER_SECRET_KEY", default=""):
        return False
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return manifest.key_fingerprint not in map(fingerprint, keys)


def _put_key(key: str) -> None:
    """Make `key` the one in the data folder; the former one is kept beside it, should it be needed again."""
    target = settings.DATA_DIR / KEY_FILE
    if target.exists() and target.read_text("ascii").strip() != key:
        write_atomic(target.with_name(f"{KEY_FILE}.replaced"), target.read_text("ascii"))
    write_atomic(target, key)


def _refuse_newer(path: Path, manifest: Manifest) -> None:
    known = set(MigrationLoader(None).disk_migrations)
    unknown = [(app, name) for app, names in manifest.migrations.items() for name in names if (app, name) not in known]
    ours = {app for app, _ in known}
    newer = [f"{app}.{name}" for app, name in unknown if app in ours]
    if numbers(manifest.version) > numbers(__version__) or newer:
        reason = f" (it has the migration {newer[0]})" if newer else ""
        raise BackupError(
            f"{path} was made by memoryserver {manifest.version}, which is newer than this one, {__version__}{reason}; "
            "install that release, and restore with it"
        )


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, which compare as versions do."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _check_server(path: Path, manifest: Manifest, *, replace: bool) -> Programs:
    try:
        check_database()
    except PreflightError as error:
        raise BackupError(str(error)) from error
    connection.close()
    with database.connect() as session:
        version = database.server_version(session)
        if database.major_of(version) < database.major_of(manifest.postgres):
            raise BackupError(
                f"{path} is of PostgreSQL {manifest.postgres}, and this server is PostgreSQL {version}; "
                f"restore into PostgreSQL {database.major_of(manifest.postgres)} or later"
            )
        programs = suitable(max(database.major_of(version), database.major_of(manifest.pg_dump)))
        rows = database.row_counts(session)
        if rows.get("accounts_user") and not replace:
            raise BackupError(
                f"this server has users and {sum(rows.values()):,} rows, and a restore deletes them; "
                "to do that, add --replace (and make a backup of it first)"
            )
        others = database.other_sessions(session)
        if others:
            raise BackupError(
                f"the database is used by {counted(others, 'other session')}; stop the server and its job workers first"
            )
    return programs
