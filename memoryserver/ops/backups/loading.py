"""Loading a dump into the database: all of it in one transaction, or nothing."""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from memoryserver.ops.backups import BackupError, archive, database
from memoryserver.ops.backups.archive import Manifest, Report
from memoryserver.ops.backups.dumping import first_error
from memoryserver.ops.backups.programs import Programs

_CHUNK = 1 << 20
_NEW_SETTING = b"SET transaction_timeout = 0;\n"
"""pg_restore of PostgreSQL 17 and later writes this, which earlier servers refuse."""

# Everything in the schema, whichever release made it, but what belongs to an extension or is part of a column.
_CLEAR = """
DO $clear$
DECLARE item record;
BEGIN
    FOR item IN
        SELECT format('DROP %s IF EXISTS public.%I CASCADE', CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN
            'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END, relname) AS sql
        FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
            AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass
                AND objid = pg_class.oid AND objsubid = 0 AND deptype IN ('e', 'i'))
        UNION ALL
        SELECT format('DROP ROUTINE IF EXISTS public.%I(%s) CASCADE', proname, pg_get_function_identity_arguments(oid))
        FROM pg_proc WHERE pronamespace = 'public'::regnamespace
            AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_proc'::regclass
                AND objid = pg_proc.oid AND deptype = 'e')
    LOOP
        EXECUTE item.sql;
    END LOOP;
END $clear$;
"""

_CHECK = """
DO $check$
DECLARE
    item record;
    present bigint;
BEGIN
    FOR item IN SELECT key AS name, value::bigint AS rows FROM jsonb_each_text('ROWS') LOOP
        EXECUTE format('SELECT count(*) FROM public.%I', item.name) INTO present;
        IF present <> item.rows THEN
            RAISE EXCEPTION 'the table % has % rows, the backup has %', item.name, present, item.rows;
        END IF;
    END LOOP;
END $check$;
"""


def load(path: Path, programs: Programs, manifest: Manifest, report: Report) -> None:
    """Replace the content of the database by the backup's. Raises BackupError; nothing is then changed.

    All is one transaction, which the last line commits: a process that ends before it has committed nothing.
    """
    address, environment = database.conninfo()
    command = [programs.path("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", f"--dbname={address}"]
    with tempfile.TemporaryFile() as errors:
        psql = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors, env=environment
        )
        assert psql.stdin is not None
        try:
            psql.stdin.write(f"BEGIN;\n{_CLEAR}".encode())
            for chunk in _statements(path, programs, report):
                psql.stdin.write(chunk)
            psql.stdin.write(f"{_count_checks(manifest)}\nCOMMIT;\n".encode())
            psql.stdin.flush()
        except BrokenPipeError:  # psql has ended and says below why
            pass
        except BaseException:
            psql.kill()
            raise
        finally:
            with contextlib.suppress(BrokenPipeError):
                psql.stdin.close()
            status = psql.wait()
        if status != 0:
            raise BackupError(f"Postgres refused the backup: {first_error(errors)}; nothing was changed")


def _statements(path: Path, programs: Programs, report: Report) -> Iterator[bytes]:
    """Yield the backup's dump as SQL. Raises BackupError at the end if pg_restore has failed."""
    command = [programs.path("pg_restore"), "--no-owner", "--no-privileges", "--no-comments", "--file=-"]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        assert process.stdin is not None
        assert process.stdout is not None
        feeder = _Feeder(path, process.stdin, report)
        feeder.start()
        try:
            first = True  # the settings stand at the beginning
            while chunk := process.stdout.read1(_CHUNK):  # type: ignore[attr-defined]
                yield chunk.replace(_NEW_SETTING, b"", 1) if first else chunk
                first = False
            feeder.join()
            if process.wait() != 0 or feeder.error is not None:
                reason = feeder.error or f"pg_restore failed: {first_error(errors)}; nothing was changed"
                raise BackupError(str(reason))
        finally:
            process.kill()
            feeder.join()
            process.stdout.close()
            process.wait()


class _Feeder(threading.Thread):
    """Writes the dump in the backup at `path` to pg_restore, while its output is read."""

    def __init__(self, path: Path, target: IO[bytes], report: Report) -> None:
        super().__init__(daemon=True)
        self._path, self._target, self._report = path, target, report
        self.error: Exception | None = None

    def run(self) -> None:
        done = 0
        try:
            with self._target:
                for chunk in archive.read_dump(self._path):
                    self._target.write(chunk)
                    done += len(chunk)
                    self._report(done)
        except BrokenPipeError:  # pg_restore has ended and says why
            pass
        except BackupError as error:
            self.error = error


def _count_checks(manifest: Manifest) -> str:
    """Return SQL that fails unless each table has as many rows as it had when it was dumped."""
    return _CHECK.replace("ROWS", json.dumps(manifest.rows).replace("'", "''"))
