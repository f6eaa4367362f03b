"""Where `memory mcp` says what happens: `$MEMORYSERVER_HOME/logs/mcp.log` and standard error, never standard output."""

from __future__ import annotations

import logging
import logging.handlers
import os
import sys

from memorycli.mcp.journal_tools import Notices
from memoryserver.client import home_folder
from memoryserver.client.log_format import OneLineFormatter
from memoryserver.common import files

_LARGEST = 256 * 1024


def start() -> None:
    """Log to standard error and, where the home folder can be written, to the file; only this process' own words."""
    form = OneLineFormatter()
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    try:
        path = files.make_folder(home_folder.path() / "logs") / "mcp.log"
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))  # the handler alone would let everybody read it
        handlers.append(
            logging.handlers.RotatingFileHandler(
                path, maxBytes=_LARGEST, backupCount=1, encoding="utf-8", errors="replace"
            )
        )
    except OSError as error:  # a home that cannot be written must not keep the agent from its tools
        print(f"memory: no log file: {error}", file=sys.stderr)
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    for handler in handlers:
        handler.setFormatter(form)
        root.addHandler(handler)
    logging.getLogger("ghap.local").addHandler(Notices())
    logging.raiseExceptions = False  # a full disk or a closed standard error is no reason to say more
