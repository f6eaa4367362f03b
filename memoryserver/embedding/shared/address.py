"""Where the socket of the embedding process is."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from memoryserver import database
from memoryserver.embedding.base import EmbeddingModelError

VARIABLE = "MEMORYSERVER_EMBEDDING_SOCKET"

_PATH_LIMIT = 100  # bytes; the system allows 107 on Linux, 103 on macOS


def default_socket(data_dir: Path) -> Path:
    """Return the path of the socket of a server whose data is in `data_dir`; beside that of the embedded Postgres."""
    return database.embedded_socket_dir(data_dir) / "embedding.sock"


def make_folder(socket: Path) -> None:
    """Create the folder of `socket` for this user only, unless it exists. Raises EmbeddingModelError."""
    if len(os.fsencode(socket)) > _PATH_LIMIT:
        raise EmbeddingModelError(f"the path of the socket {socket} has more than {_PATH_LIMIT} bytes; set {VARIABLE}")
    try:
        with contextlib.suppress(FileExistsError):
            socket.parent.mkdir(mode=0o700)
        status = socket.parent.stat()
    except OSError as error:
        reason = f"the socket {socket} cannot be created ({error.strerror})"
        raise EmbeddingModelError(f"{reason}; set {VARIABLE}") from error
    if status.st_uid != os.getuid():
        raise EmbeddingModelError(f"{socket.parent} must be a folder of this user; set {VARIABLE}")
