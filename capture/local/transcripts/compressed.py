"""Reads transcripts that an agent has compressed with Zstandard, which Python's standard library does not support."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from capture.local.transcripts.reader import DamagedTranscriptError, TranscriptError

_CHUNK = 1024 * 1024
LONGEST = 8 * 1024**3  # bytes of a decompressed transcript, so that it cannot fill the disk


def decompressed(path: Path) -> BinaryIO:
    """Return the content of the file in a temporary file, which is deleted when it is closed.

    Raises OSError, and TranscriptError if the file is damaged or no decompressor is installed.
    """
    target = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - closed by the caller
    try:
        with stream(path) as source:
            _copy(source, target)
        target.seek(0)
    except BaseException:
        target.close()
        raise
    return target


def _copy(source: BinaryIO, target: BinaryIO) -> None:
    size = 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        if size > LONGEST:
            raise DamagedTranscriptError(f"holds more than {LONGEST >> 30} GiB; it is skipped")
        target.write(chunk)


@contextmanager
def stream(path: Path) -> Iterator[BinaryIO]:
    """Yield the content of the file as a stream from its start, of which a part may be read. Raises as above."""
    try:
        import zstandard
    except ImportError:
        with _by_program(path) as source:
            yield source
        return
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        try:
            yield cast("BinaryIO", reader)
        except zstandard.ZstdError as error:
            raise DamagedTranscriptError(f"is damaged ({error}); repair it or move it away") from None


@contextmanager
def _by_program(path: Path) -> Iterator[BinaryIO]:
    program = shutil.which("zstd")
    if program is None:
        raise TranscriptError(
            "is compressed, and nothing here can decompress it: pip install 'memoryserver[codex]', or install zstd"
        )
    path.stat()  # raises if it is missing
    with subprocess.Popen(
        [program, "-dcq", "--", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            yield cast("BinaryIO", process.stdout)
            at_end = not process.stdout.read(1)
        except BaseException:
            process.kill()
            raise
        if not at_end:  # the caller needed only a part
            process.kill()
            return
        errors = process.stderr.read(2000).decode("utf-8", "replace").strip()
    if process.returncode:
        raise DamagedTranscriptError(f"is damaged ({' '.join(errors.split())[:200]}); repair it or move it away")
