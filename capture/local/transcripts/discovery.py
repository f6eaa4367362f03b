"""Finds the transcripts on this machine and tells which reader each belongs to."""

from __future__ import annotations

import hashlib
import importlib
import os
import pkgutil
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from capture.local.transcripts import agents
from capture.local.transcripts.reader import Reader

ROOTS_VARIABLE = "MEMORYSERVER_TRANSCRIPT_ROOTS"
_LONGEST_ID = 120


def _readers() -> tuple[Reader, ...]:
    """That of each module in `agents`; those that take any file come last."""
    names = sorted(module.name for module in pkgutil.iter_modules(agents.__path__))
    found = [importlib.import_module(f"{agents.__name__}.{name}").READER for name in names]
    return tuple(sorted(found, key=lambda reader: reader.takes_any))


READERS: tuple[Reader, ...] = _readers()


@dataclass(frozen=True, slots=True)
class Transcript:
    """One transcript file: a context."""

    path: Path
    reader: Reader
    context_id: str


def find(roots: Sequence[Path] | None = None, *, recorded: Callable[[str], str] = lambda _: "") -> list[Transcript]:
    """Every transcript below `roots`, by default where the known agents keep theirs and below `further_roots()`.

    Two files of one name (a transcript copied to another folder) are two contexts: the one that `recorded`
    gives for the context id, else the first by path, keeps the plain id; the others have a digest of their
    folder in theirs.
    """
    candidates: dict[str, list[tuple[Path, Reader]]] = {}
    seen: set[str] = set()
    for reader in READERS:
        for path in _files(reader, roots):
            real = os.path.realpath(path)
            if real not in seen:
                seen.add(real)
                context_id = _context_of(reader, path)
                candidates.setdefault(context_id, []).append((path, reader))
    found: list[Transcript] = []
    for context_id, group in candidates.items():
        owner = recorded(context_id) if len(group) > 1 else ""
        group.sort(key=lambda one: str(one[0]) != owner)
        found += [
            Transcript(path, reader, f"{context_id}-{_digest(str(path.parent))}" if number else context_id)
            for number, (path, reader) in enumerate(group)
        ]
    return found


def context_of(agent_kind: str, path: Path) -> str:
    """The id of the context whose transcript an agent of that kind keeps at `path`, as `find` gives it."""
    for reader in READERS:
        if reader.agent_kind == agent_kind:
            return _context_of(reader, path)
    return safe_id(f"{agent_kind}-{path.stem}")


def further_roots() -> list[Path]:
    """The folders in $MEMORYSERVER_TRANSCRIPT_ROOTS (separated as in $PATH), whether they exist or not."""
    named = os.environ.get(ROOTS_VARIABLE, "").split(os.pathsep)
    return [Path(part.strip()).expanduser() for part in named if part.strip()]


def safe_id(text: str) -> str:
    """`text` as a name that every file system takes; what had to be changed is told apart by a digest."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "-", text)[:_LONGEST_ID]
    return safe if safe == text else f"{safe}-{_digest(text)}"


def _context_of(reader: Reader, path: Path) -> str:
    return safe_id(f"{reader.agent_kind}-{reader.context_id(path)}")


def _files(reader: Reader, roots: Sequence[Path] | None) -> Iterator[Path]:
    for root in [*reader.roots(), *further_roots()] if roots is None else roots:
        yield from reader.find(root)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
