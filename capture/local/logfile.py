"""The log of capture: `logs/continuous_capture.log`, rotated, one line for each thing done."""

from __future__ import annotations

import logging
import logging.handlers
import os
import time
from pathlib import Path

from memoryserver.local import files
from memoryserver.local.text import one_line

LOG_FILE = Path("logs/continuous_capture.log")
_LARGEST = 1024 * 1024
_KEPT = 5


class _OneLine(logging.Formatter):
    """A record on a line of its own, in UTC, so that no text from a transcript can forge another."""

    converter = staticmethod(time.gmtime)

    def format(self, record: logging.LogRecord) -> str:
        return one_line(super().format(record))


def log_to_file(home: Path) -> logging.Handler:
    """Send what capture logs from now on to the file below `home`; the handler, for whoever wants to end that.

    Raises OSError where the file cannot be opened.
    """
    path = home / LOG_FILE
    files.make_folder(path.parent)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))  # the handler alone would let everybody read it
    handler = logging.handlers.RotatingFileHandler(
        path, maxBytes=_LARGEST, backupCount=_KEPT, encoding="utf-8", errors="replace"
    )
    handler.setFormatter(_OneLine("%(asctime)sZ %(levelname)s %(name)s[%(process)d]: %(message)s", "%Y-%m-%dT%H:%M:%S"))
    logger = logging.getLogger("capture")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    return handler
