"""A copy of the checkout with a Postgres of its own, in which mutants are tried."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg

from memoryserver import database
from memoryserver.ops.postgres import EmbeddedPostgres
from memoryserver.ops.processes import with_parent

ROOT = Path(__file__).resolve().parent.parent
MEMORY = 12 * 1024**2  # kilobytes of address space; an endless loop may fill a list


class Copy:
    """The files of the checkout that git knows or would add, copied into `folder`; the tests run there."""

    def __init__(self, folder: Path) -> None:
        self._tree = folder / "tree"
        self._temporary = folder / "tmp"
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, check=True, capture_output=True,
        )  # fmt: skip
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (ROOT / name).is_file():
                (self._tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self._tree / name)
        self._postgres = EmbeddedPostgres(folder)
        self._postgres.start()
        self._socket = database.embedded_socket_dir(folder)
        self._environment = dict(os.environ) | {
            "DATABASE_URL": f"postgres://memoryserver@/mutants?host={self._socket}",
            "PYTHONPATH": str(self._tree),
            "TMPDIR": str(self._temporary),
        }
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled once, for all runs

    def run(self, tests: Sequence[str], limit: float) -> tuple[str, str]:
        """Run `tests` for at most `limit` seconds; return "survived", "killed" or "timeout", and what pytest said."""
        self._renew_database()
        shutil.rmtree(self._temporary, ignore_errors=True)
        self._temporary.mkdir()
        pytest = [sys.executable, "-m", "pytest", "-x", "-q", "--reuse-db", "-p", "no:cacheprovider"]
        with subprocess.Popen(
            with_parent(["/bin/sh", "-c", f'ulimit -v {MEMORY}; exec "$@"', "sh", *pytest, *tests]),
            cwd=self._tree,
            env=self._environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                said, _ = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                return "timeout", ""
            finally:
                if process.poll() is None:  # also after Ctrl-C, which does not reach a session of its own
                    os.killpg(process.pid, signal.SIGKILL)
        return "killed" if process.returncode else "survived", said

    @contextmanager
    def changed(self, name: str, source: str) -> Iterator[None]:
        """Within it the file `name` of the copy has the content `source`."""
        path = self._tree / name
        original, status = path.read_bytes(), path.stat()
        path.write_text(source, "utf-8")
        self._environment["PYTHONDONTWRITEBYTECODE"] = "1"  # what is compiled stays the original's
        try:
            yield
        finally:
            del self._environment["PYTHONDONTWRITEBYTECODE"]
            path.write_bytes(original)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def stop(self) -> None:
        """Stop Postgres."""
        self._postgres.stop()

    def prepare_database(self) -> None:
        """Migrate a database once; each run of the tests gets a copy of it, whatever the one before left."""
        said = self.run(("tests/memoryserver/accounts/test_visibility.py",), 600)[1]
        with self._connect() as connection:
            migrated = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'test_mutants'").fetchone()
            if migrated is None:
                sys.exit(f"the tests' database could not be made:\n{said}")
            connection.execute("ALTER DATABASE test_mutants RENAME TO template_mutants")

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(host=str(self._socket), user="memoryserver", dbname="postgres", autocommit=True)

    def _renew_database(self) -> None:
        with self._connect() as connection:
            connection.execute("DROP DATABASE IF EXISTS test_mutants WITH (FORCE)")
            template = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'template_mutants'").fetchone()
            if template is not None:
                connection.execute("CREATE DATABASE test_mutants TEMPLATE template_mutants")
