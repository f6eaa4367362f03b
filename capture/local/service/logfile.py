"""The log of capture: `logs/continuous_capture.log`, rotated, one line for each thing done."""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import os
import time
from pathlib import Path
from typing import Any, TextIO

from memoryserver.common import files
from memoryserver.common.text import one_line

LOG_FILE = Path("logs/continuous_capture.log")
SERVICE_LOG_FILE = Path("logs/capture_service.log")  # what launchd writes of a daemon that does not come up
_LARGEST = 1024 * 1024
_KEPT = 5


class _OneLine(logging.Formatter):
    """A record on a line of its own, in UTC, so that no text from a transcript can forge another."""

    converter = staticmethod(time.gmtime)

    def format(self, record: logging.LogRecord) -> str:
        return one_line(super().format(record))


class _Rotating(logging.handlers.RotatingFileHandler):
    """Rotates also where several processes write: whoever finds its file renamed by another opens the new one.

    A disk that is full must not end in a traceback for each line: what cannot be written is dropped.
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
        """Says nothing: the one place to say it is the log."""

    def _open(self) -> Any:
        """Readable by its owner alone, also after a rotation."""
        return open(self.baseFilename, self.mode, encoding=self.encoding, errors=self.errors, opener=_private)

    def _is_there(self, stream: TextIO) -> bool:
        try:
            return os.path.samestat(os.stat(self.baseFilename), os.fstat(stream.fileno()))
        except OSError:
            return False


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def bound(path: Path) -> None:
    """Empty a log that nobody rotates once it has grown too large; whoever appends to it may go on."""
    with contextlib.suppress(OSError):  # there is none, or none that may be touched
        if path.stat().st_size > _LARGEST:
            os.truncate(path, 0)


def log_to_file(home: Path) -> logging.Handler:
    """Send what capture logs from now on to the file below `home`; the handler, for whoever wants to end that.

    Raises OSError where the file cannot be opened.
    """
    path = home / LOG_FILE
    files.make_folder(path.parent)
    handler = _Rotating(path, maxBytes=_LARGEST, backupCount=_KEPT, encoding="utf-8", errors="replace")
    handler.setFormatter(_OneLine("%(asctime)sZ %(levelname)s %(name)s[%(process)d]: %(message)s", "%Y-%m-%dT%H:%M:%S"))
    logger = logging.getLogger("capture")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    return handler
