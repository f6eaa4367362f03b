"""Finds the transcripts on this machine and the reader of each."""

from __future__ import annotations

import hashlib
import importlib
import os
import pkgutil
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from capture.local.transcripts import agents
from capture.local.transcripts.reader import Reader
from capture.local.transcripts.walk import Skip, ignore

ROOTS_VARIABLE = "MEMORYSERVER_TRANSCRIPT_ROOTS"
_LONGEST_ID = 120


def _readers() -> tuple[Reader, ...]:
    """Return the reader of each module in `agents`; those that take any file come last."""
    names = sorted(module.name for module in pkgutil.iter_modules(agents.__path__))
    readers = [importlib.import_module(f"{agents.__name__}.{name}").READER for name in names]
    return tuple(sorted(readers, key=lambda reader: reader.takes_any))


READERS: tuple[Reader, ...] = _readers()


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript file; its `context_id` identifies it in states, queue files and on the server."""

    path: Path
    reader: Reader
    context_id: str


def find(
    roots: Sequence[Path] | None = None, *, recorded: Callable[[str], str] = lambda _: "", skip: Skip = ignore
) -> list[Transcript]:
    """Return every transcript below `roots`, by default the folders of the known agents and `further_roots()`.

    Two files of one name (a transcript copied to another folder) are two transcripts: the path that `recorded`
    returns for the context id, else the first path found, keeps the plain id; the ids of the others get a digest
    of their folder. `skip` is called with every path that may be a transcript or have some and is not read.
    """
    candidates: dict[str, list[tuple[Path, Reader]]] = {}
    seen: set[str] = set()
    for reader in READERS:
        for path in _files(reader, roots, skip):
            real = os.path.realpath(path)
            if real in seen:
                continue
            seen.add(real)
            if reason := _unreadable(path):
                skip(path, reason)
            else:
                context_id = _context_id(reader, path)
                candidates.setdefault(context_id, []).append((path, reader))
    transcripts: list[Transcript] = []
    for context_id, group in candidates.items():
        owner = recorded(context_id) if len(group) > 1 else ""
        group.sort(key=lambda candidate: str(candidate[0]) != owner)
        transcripts += [
            Transcript(path, reader, f"{context_id}-{_digest(str(path.parent))}" if number else context_id)
            for number, (path, reader) in enumerate(group)
        ]
    return transcripts


def context_id_of(agent_kind: str, path: Path) -> str:
    """Return the context id of the transcript at `path` of an agent of that kind, as `find` does."""
    for reader in READERS:
        if reader.agent_kind == agent_kind:
            return _context_id(reader, path)
    return safe_id(f"{agent_kind}-{path.stem}")


def further_roots() -> list[Path]:
    """Return the folders in $MEMORYSERVER_TRANSCRIPT_ROOTS (separated as in $PATH), whether they exist or not."""
    value = os.environ.get(ROOTS_VARIABLE, "").split(os.pathsep)
    return [Path(part.strip()).expanduser() for part in value if part.strip()]


def safe_id(text: str) -> str:
    """Return `text` as a name valid on every file system; a changed text gets a digest, to stay distinct."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "-", text)[:_LONGEST_ID]
    return safe if safe == text else f"{safe}-{_digest(text)}"


def _context_id(reader: Reader, path: Path) -> str:
    return safe_id(f"{reader.agent_kind}-{reader.transcript_id(path)}")


def _unreadable(path: Path) -> str:
    """Return why the file at `path` is not opened; "" if it may be, although that may fail."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return "links to a file that does not exist" if path.is_symlink() else ""
    except OSError:  # opening the file reports the error
        return ""
    return "" if stat.S_ISREG(mode) else "is not a regular file"


def _files(reader: Reader, roots: Sequence[Path] | None, skip: Skip) -> Iterator[Path]:
    for root in [*reader.roots(), *further_roots()] if roots is None else roots:
        yield from reader.find(root, skip)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
