"""The log of `memory mcp`: `$MEMORYSERVER_HOME/logs/mcp.log` and standard error, never standard output."""

from __future__ import annotations

import logging
import logging.handlers
import os
import sys

from memorycli.mcp.journal_access import Notices
from memoryserver.client import home_folder
from memoryserver.client.log_format import OneLineFormatter
from memoryserver.common import files

_MAX_BYTES = 256 * 1024


def start() -> None:
    """Log this process to standard error and, if the home folder is writable, to the file."""
    formatter = OneLineFormatter()
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    try:
        path = files.make_folder(home_folder.path() / "logs") / "mcp.log"
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))  # the handler would create it readable for everybody
        handlers.append(
            logging.handlers.RotatingFileHandler(
                path, maxBytes=_MAX_BYTES, backupCount=1, encoding="utf-8", errors="replace"
            )
        )
    except OSError as error:  # without a writable home the tools must still work
        print(f"memory: no log file: {error}", file=sys.stderr)
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    for handler in handlers:
        handler.setFormatter(formatter)
        root.addHandler(handler)
    logging.getLogger("ghap.local").addHandler(Notices())
    logging.raiseExceptions = False  # stay silent on a full disk or a closed standard error
