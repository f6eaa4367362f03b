"""Finds the transcripts on this machine and tells which reader each belongs to."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from capture.local.transcripts.claude_code import ClaudeCodeReader
from capture.local.transcripts.reader import Reader

READERS: tuple[Reader, ...] = (ClaudeCodeReader(),)
_LONGEST_ID = 120


@dataclass(frozen=True, slots=True)
class Transcript:
    """One transcript file: a context."""

    path: Path
    reader: Reader
    context_id: str


def find(roots: Sequence[Path] | None = None, *, recorded: Callable[[str], str] = lambda _: "") -> list[Transcript]:
    """Every transcript below `roots`, by default below the folders where the known agents keep theirs.

    Two files of one name (a transcript copied to another folder) are two contexts: the one that `recorded`
    gives for the context id, else the first by path, keeps the plain id; the others have a digest of their
    folder in theirs.
    """
    candidates: dict[str, list[tuple[Path, Reader]]] = {}
    seen: set[str] = set()
    for reader in READERS:
        for root in reader.roots() if roots is None else roots:
            for path in reader.find(root):
                real = os.path.realpath(path)
                if real not in seen:
                    seen.add(real)
                    context_id = safe_id(f"{reader.agent_kind}-{reader.context_id(path)}")
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


def safe_id(text: str) -> str:
    """`text` as a name that every file system takes; what had to be changed is told apart by a digest."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "-", text)[:_LONGEST_ID]
    return safe if safe == text else f"{safe}-{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
