"""Where pg_dump, pg_restore and psql are, and which of several installed versions suits a server."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from memoryserver.ops.backups import BackupError
from memoryserver.ops.postgres import PostgresError, binaries

NAMES = ("pg_dump", "pg_restore", "psql")
DEBIAN = Path("/usr/lib/postgresql")  # Debian keeps each version's programs in VERSION/bin


@dataclass(frozen=True)
class Programs:
    """The programs of one PostgreSQL version, all in `folder`."""

    folder: Path
    version: str

    @property
    def major(self) -> int:
        """The version's first number."""
        return int(self.version.partition(".")[0])

    def path(self, name: str) -> str:
        """Return the path of the program `name`."""
        return str(self.folder / name)


def suitable(server_major: int) -> Programs:
    """Return the programs of the oldest installed version that is not older than `server_major`.

    An older pg_dump refuses a newer server; a newer one writes what older programs cannot read. Raises BackupError if
    there are none.
    """
    versions = list(installed())
    fitting = [programs for programs in versions if programs.major >= server_major]
    if fitting:
        return min(fitting, key=lambda programs: programs.major)
    others = f"; found: {', '.join(f'{p.version} in {p.folder}' for p in versions)}" if versions else ""
    raise BackupError(
        f"pg_dump, pg_restore and psql of PostgreSQL {server_major} or later are needed{others}. Install them "
        f"(Debian: postgresql-client-{server_major}), or name their folder in MEMORYSERVER_POSTGRES_BIN"
    )


def installed() -> Iterator[Programs]:
    """Yield the installed versions: the configured folder's, the embedded one, that of PATH, Debian's."""
    seen = set()
    for folder in _folders():
        if folder not in seen and all((folder / name).is_file() for name in NAMES):
            seen.add(folder)
            version = version_of(folder / "pg_dump")
            if version:
                yield Programs(folder, version)


def version_of(program: Path) -> str:
    """Return the version that `program --version` prints, "" if it cannot be run."""
    try:
        done = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = re.search(r"\(PostgreSQL\) (\d+(?:\.\d+)*)", done.stdout)
    return match[1] if match else ""


def _folders() -> Iterator[Path]:
    if settings.POSTGRES_BIN:
        yield Path(settings.POSTGRES_BIN)
    with contextlib.suppress(PostgresError):  # not installed where another server is used
        yield binaries()
    on_path = shutil.which("pg_dump")
    if on_path:
        yield Path(on_path).parent
    yield from sorted(DEBIAN.glob("*/bin"), reverse=True)
