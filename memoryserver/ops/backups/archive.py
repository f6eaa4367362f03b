"""The format of a backup: a zip file, readable by common tools, that is complete or does not exist.

Its members are `database.dump` (pg_dump's custom format), `secret_key` unless it was left out, and `manifest.json`,
which is written last and says what the file holds.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from memoryserver.common.files import TEMPORARY_SUFFIX, sync_folder
from memoryserver.ops.backups import BackupError

FORMAT = 1
SUFFIX = ".backup"
DUMP, KEY, MANIFEST = "database.dump", "secret_key", "manifest.json"
_CHUNK = 1 << 20
_LEVEL = 3  # of zlib: nearly as small as its default, in half the time
_MOST_MANIFEST_BYTES = 16 << 20

Report = Callable[[int], None]
"""Is called with the number of bytes of the dump that are done."""


def silent(done: int) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Manifest:
    """What a backup holds. `rows` counts each table's rows as of the dump; `sha256` is of the dump."""

    version: str
    made_at: str
    postgres: str
    pg_dump: str
    migrations: dict[str, list[str]]
    rows: dict[str, int]
    dump_bytes: int
    sha256: str
    secret_key: bool
    key_fingerprint: str
    format: int = FORMAT

    @property
    def total_rows(self) -> int:
        """The number of rows of all tables."""
        return sum(self.rows.values())


class _Sink:
    """The file that the zip file is written to. Its first error is kept, and what follows is not written.

    zipfile writes its directory when it is closed, after an error too, and would raise from there.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.error: OSError | None = None

    def write(self, data: Any) -> int:
        if self.error is None:
            try:
                return self._file.write(data)
            except OSError as error:
                self.error = error
                raise
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def write(path: Path, dump: Iterable[bytes], key: str, describe: Callable[[int, str], Manifest]) -> Manifest:
    """Write a backup to `path` (mode 0600), replacing an older one only when it is complete and on disk.

    `describe` is called after the dump with its length and SHA-256, and returns the manifest. Raises BackupError if
    the file cannot be written; nothing of it is then left behind. Exceptions of `dump` pass through, likewise.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY_SUFFIX}")
    try:
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(descriptor, "w+b", buffering=0) as file:
                manifest = _write_members(_Sink(file), dump, key, describe)
                os.fsync(file.fileno())
            os.replace(temporary, path)
            sync_folder(path.parent)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
    except OSError as error:
        raise BackupError(_not_written(path, error)) from error
    return manifest


def _write_members(sink: _Sink, dump: Iterable[bytes], key: str, describe: Callable[[int, str], Manifest]) -> Manifest:
    digest, length = hashlib.sha256(), 0
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        with archive.open(DUMP, "w", force_zip64=True) as member:
            for chunk in dump:
                digest.update(chunk)
                length += len(chunk)
                member.write(chunk)
        if key:
            archive.writestr(KEY, key)
        manifest = describe(length, digest.hexdigest())
        archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
    if sink.error is not None:
        raise sink.error
    return manifest


def read_manifest(path: Path) -> Manifest:
    """Return the manifest of the backup at `path`. Raises BackupError if it is none, damaged, or of a newer format."""
    with _opened(path) as archive:
        if archive.getinfo(MANIFEST).file_size > _MOST_MANIFEST_BYTES:
            raise BackupError(_damaged(path, "its manifest is too large"))
        value = json.loads(archive.read(MANIFEST))
        made_by = value.get("version") if isinstance(value, dict) else None
        if isinstance(made_by, str) and isinstance(value.get("format"), int) and value["format"] > FORMAT:
            raise BackupError(f"{path} is of memoryserver {made_by}, which writes a newer format; restore it with that")
        manifest = Manifest(**value)
        if manifest.secret_key != (KEY in archive.namelist()) or not isinstance(manifest.sha256, str):
            raise BackupError(_damaged(path, "its manifest does not describe it"))
        return manifest


def read_key(path: Path) -> str:
    """Return the secret key in the backup at `path`, which has one. Raises BackupError."""
    with _opened(path) as archive:
        return archive.read(KEY).decode("ascii")


def check(path: Path, report: Report) -> Manifest:
    """Read all of the backup at `path` and return its manifest. Raises BackupError if a byte of it is wrong."""
    manifest = read_manifest(path)
    with _opened(path) as archive:
        if manifest.secret_key:
            archive.read(KEY)
    digest, length = hashlib.sha256(), 0
    for chunk in read_dump(path):
        digest.update(chunk)
        length += len(chunk)
        report(length)
    if digest.hexdigest() != manifest.sha256 or length != manifest.dump_bytes:
        raise BackupError(_damaged(path, "the checksum of its data does not match"))
    return manifest


def read_dump(path: Path) -> Iterator[bytes]:
    """Yield the dump in the backup at `path`. Raises BackupError if it is damaged."""
    with _opened(path) as archive, archive.open(DUMP) as member:
        while chunk := member.read(_CHUNK):
            yield chunk


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open the zip file; its errors, in the block too, are raised as BackupError."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {error.strerror or error}") from error
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError, EOFError, NotImplementedError) as error:
        raise BackupError(_damaged(path, str(error).strip("'\""))) from error


def _damaged(path: Path, reason: str) -> str:
    return f"{path} is damaged, or not a backup of memoryserver ({reason}); nothing was changed. Use another backup"


def _not_written(path: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of {path.parent} is full; no backup was written. Make room, or name another folder"
    return f"{path} cannot be written: {error.strerror or error}; no backup was written"
