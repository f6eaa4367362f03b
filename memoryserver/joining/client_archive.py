"""The client as one file: a zip archive with the laptop's packages, which Python runs as a program.

It is made of the files that this process was installed with, so client and server are of one version. The same files
give the same bytes in every process: the entries are sorted and have no times of their own.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memoryserver import __version__
from memoryserver.environment import BASE_DIR

CONTENTS = (
    "memorycli",
    "memoryserver/__init__.py",
    "memoryserver/client",
    "memoryserver/common",
    "ghap/__init__.py",
    "ghap/local",
    "trajectory/__init__.py",
    "trajectory/local",
    "capture/__init__.py",
    "capture/local",
)
"""What a laptop runs; the wheel `memorycli` has the same (pyproject.toml)."""

OLDEST_PYTHON = (3, 11)
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip archive can name
_MAIN = f"""\
import sys

if sys.version_info < {OLDEST_PYTHON}:
    sys.exit("memory needs Python {".".join(map(str, OLDEST_PYTHON))} or later; this is %d.%d" % sys.version_info[:2])

from memorycli.joining import main

sys.exit(main())
"""


@dataclass(frozen=True)
class ClientArchive:
    """The archive's bytes, their SHA-256 as hex digits, and the version of the client in it."""

    content: bytes
    sha256: str
    version: str


@cache
def client_archive() -> ClientArchive:
    """Return the archive; it is made once in each process. Raises OSError where the code cannot be read."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_entry("__main__.py"), _MAIN)
        for path in sorted(_files(BASE_DIR)):
            archive.writestr(_entry(path.relative_to(BASE_DIR).as_posix()), path.read_bytes())
    content = file.getvalue()
    return ClientArchive(content, hashlib.sha256(content).hexdigest(), __version__)


def _files(root: Path) -> Iterator[Path]:
    for name in CONTENTS:
        path = root / name
        for file in [path] if path.is_file() else path.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts and not file.name.startswith("."):
                yield file


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry
