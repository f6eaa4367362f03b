"""The weights of a model: a safetensors file, mapped into memory.

The format (https://github.com/huggingface/safetensors): the length of a header as a little-endian number of eight
bytes, a header in JSON, and the numbers of all tensors. A part of the file that no text needs, such as the rows of rare
words, is not read, and processes that map the same file share its pages.
"""

from __future__ import annotations

import json
import mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryserver.embedding.base import EmbeddingModelError

Array = NDArray[Any]

_TYPES = {"F32": "<f4", "F16": "<f2"}


class Weights:
    """The tensors of a file by their names, read-only. Raises EmbeddingModelError if the file is damaged or missing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._header, self._start = _header(path)
            with path.open("rb") as file:
                self._file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._data = np.frombuffer(self._file, np.uint8)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise EmbeddingModelError(f"the weights {path} cannot be read ({error})") from error

    def __contains__(self, name: str) -> bool:
        return name in self._header

    def __getitem__(self, name: str) -> Array:
        """Return the tensor as float32: a view of the file, or a copy if it has another type."""
        try:
            entry = self._header[name]
            kind, shape, (first, end) = _TYPES[entry["dtype"]], entry["shape"], entry["data_offsets"]
            tensor = self._data[self._start + first : self._start + end].view(kind).reshape(shape)
        except (KeyError, ValueError, TypeError) as error:
            raise EmbeddingModelError(
                f"the weights {self._path} have no tensor {name!r} of a type that can be used ({error})"
            ) from error
        return np.asarray(tensor, np.float32)

    def release(self) -> None:
        """Take what was read out of this process' memory; it is read from the file again where needed."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._file.madvise(mmap.MADV_DONTNEED)


def _header(path: Path) -> tuple[dict[str, Any], int]:
    """Return the header of the file and where its numbers begin. Raises ValueError if the file is cut off."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = 8 + int.from_bytes(file.read(8), "little")
        if not 10 <= start <= size:
            raise ValueError("its header is cut off")
        header: dict[str, Any] = json.loads(file.read(start - 8))
    header.pop("__metadata__", None)
    end = start + max((entry["data_offsets"][1] for entry in header.values()), default=0)
    if end > size:
        raise ValueError(f"it is cut off: {size:,} of {end:,} bytes")
    return header, start
