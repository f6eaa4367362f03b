"""The log of capture: `logs/continuous_capture.log`, rotated, one line for each thing done."""

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
SERVICE_LOG_FILE = Path("logs/capture_service.log")  # what launchd writes of a daemon that does not come up
_LARGEST = 1024 * 1024
_KEPT = 5


class _Rotating(logging.handlers.RotatingFileHandler):
    """Rotates also where several processes write: a process whose file another has renamed opens the new one.

    A line that cannot be written, as on a full disk, is dropped without a traceback.
    """

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self.stream is not None and not self._is_there(self.stream):
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
        """Open the file readable by its owner alone, also after a rotation."""
        return open(self.baseFilename, self.mode, encoding=self.encoding, errors=self.errors, opener=_private)

    def _is_there(self, stream: TextIO) -> bool:
        try:
            return os.path.samestat(os.stat(self.baseFilename), os.fstat(stream.fileno()))
        except OSError:
            return False


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def bound(path: Path) -> None:
    """Empty a log that is not rotated once it is too large; a process that appends to it can go on."""
    with contextlib.suppress(OSError):  # it does not exist or must not be changed
        if path.stat().st_size > _LARGEST:
            os.truncate(path, 0)


def log_to_file(home: Path) -> logging.Handler:
    """Log what capture does to the file below `home`. Return the handler, to be removed when that should end.

    Raise OSError if the file cannot be opened.
    """
    path = home / LOG_FILE
    files.make_folder(path.parent)
    handler = _Rotating(path, maxBytes=_LARGEST, backupCount=_KEPT, encoding="utf-8", errors="replace")
    handler.setFormatter(OneLineFormatter())
    logger = logging.getLogger("capture")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    return handler
