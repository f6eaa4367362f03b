"""The log of capture: `logs/continuous_capture.log`, rotated, one line for each event."""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import os
from pathlib import Path
from typing import Any, TextIO

from memoryserver.client.log_format import OneLineFormatter
from memoryserver.common import files

LOG_FILE = Path("logs/continuous_capture.log")
SERVICE_LOG_FILE = Path("logs/capture_service.log")  # output of a daemon that launchd cannot start
_MAX_BYTES = 1024 * 1024
_BACKUPS = 5


class _Rotating(logging.handlers.RotatingFileHandler):
    """Rotates the file even if several processes write to it: each opens the new file once another has renamed it.

    A line that cannot be written, as on a full disk, is dropped without a traceback.
    """

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self.stream is not None and not self._is_current(self.stream):
                stream, self.stream = self.stream, None
                stream.close()
            if self.stream is None:
                self.stream = self._open()
        except OSError:
            self.handleError(record)
        else:
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name for it
        """Ignore the error: the log is the only place to report it."""

    def _open(self) -> Any:
        """Open the file so that only its owner can read it, also after a rotation."""
        return open(self.baseFilename, self.mode, encoding=self.encoding, errors=self.errors, opener=_open_private)

    def _is_current(self, stream: TextIO) -> bool:
        try:
            return os.path.samestat(os.stat(self.baseFilename), os.fstat(stream.fileno()))
        except OSError:
            return False


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def truncate_if_large(path: Path) -> None:
    """Empty a log that is not rotated if it is too large; a process that appends to it can continue."""
    with contextlib.suppress(OSError):  # it does not exist or must not be changed
        if path.stat().st_size > _MAX_BYTES:
            os.truncate(path, 0)


def log_to_file(home: Path) -> logging.Handler:
    """Log capture's events to the file below `home`, and return the handler, whose removal ends it.

    Raises OSError if the file cannot be opened.
    """
    path = home / LOG_FILE
    files.make_folder(path.parent)
    handler = _Rotating(path, maxBytes=_MAX_BYTES, backupCount=_BACKUPS, encoding="utf-8", errors="replace")
    handler.setFormatter(OneLineFormatter())
    logger = logging.getLogger("capture")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    return handler
