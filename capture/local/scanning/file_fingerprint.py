"""Decides whether a transcript has only grown since it was read, without reading it again.

A fingerprint holds the file's identity and times, a checksum of everything read that can be continued from
its end, and a digest of samples. An unchanged file costs one `stat`, a grown one the samples. The whole file is
read again for its checksum only if its identity or times show that it may have been replaced, moved, or written
in place to the same size.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, BinaryIO

_EDGE = 4096
_SAMPLE = 512
_SAMPLES = 14
_CHUNK = 1024 * 1024


class Change(StrEnum):
    """What happened to a transcript since it was read."""

    NONE = "none"
    GROWN = "grown"  # or unchanged: everything that was read is still there
    REWRITTEN = "rewritten"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The fingerprint of the first `offset` bytes of a file. `stat` is device, inode, size, mtime, ctime (ns)."""

    stat: tuple[int, ...]
    checksum: int
    samples: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"stat": list(self.stat), "checksum": self.checksum, "samples": self.samples}

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Fingerprint:
        """Return the fingerprint in a JSON object; raises KeyError, TypeError or ValueError if it is invalid."""
        return cls(tuple(int(part) for part in content["stat"]), int(content["checksum"]), str(content["samples"]))


def compute(
    file: BinaryIO, offset: int, before: Fingerprint | None, before_offset: int, stat: tuple[int, ...]
) -> Fingerprint:
    """Return the fingerprint of the first `offset` bytes; `before` is that of the first `before_offset`.

    `stat` must be taken before the bytes are read. Raises OSError.
    """
    checksum = _checksum(file, before_offset if before else 0, offset, before.checksum if before else 0)
    return Fingerprint(stat, checksum, _samples(file, offset))


def stat_of(result: os.stat_result) -> tuple[int, ...]:
    """Return the parts of a `stat` that differ between two states of a file."""
    return (result.st_dev, result.st_ino, result.st_size, result.st_mtime_ns, result.st_ctime_ns)


def compare(file: BinaryIO, offset: int, before: Fingerprint, stat: tuple[int, ...]) -> Change:
    """Return what happened to the file since `before`, its fingerprint up to `offset`. Raises OSError.

    `stat` is that of the file on disk; `file`, which is read, may be its decompressed content.
    """
    if stat == before.stat:
        return Change.NONE
    if file.seek(0, os.SEEK_END) < offset:
        return Change.REWRITTEN
    grown_in_place = stat[:2] == before.stat[:2] and stat[2] > before.stat[2]
    if grown_in_place:
        same = _samples(file, offset) == before.samples
    else:
        same = _checksum(file, 0, offset, 0) == before.checksum
    return Change.GROWN if same else Change.REWRITTEN


def _checksum(file: BinaryIO, start: int, end: int, checksum: int) -> int:
    file.seek(start)
    while start < end and (chunk := file.read(min(_CHUNK, end - start))):
        checksum = zlib.crc32(chunk, checksum)
        start += len(chunk)
    return checksum


def _samples(file: BinaryIO, offset: int) -> str:
    """Return a digest of the head, the tail and places between them, which depend on `offset` alone."""
    digest = hashlib.blake2b(digest_size=16)
    places = [(0, min(_EDGE, offset)), (max(0, offset - _EDGE), offset)]
    if offset > 4 * _EDGE:
        steps = [offset * step // (_SAMPLES + 1) for step in range(1, _SAMPLES + 1)]
        places += [(place, min(place + _SAMPLE, offset)) for place in steps]
    for start, end in places:
        file.seek(start)
        digest.update(file.read(end - start))
    return digest.hexdigest()
