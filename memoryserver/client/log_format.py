"""The format of the client's log files."""

from __future__ import annotations

import logging
import time

from memoryserver.common.redaction import redact
from memoryserver.common.text import one_line, printable


class OneLineFormatter(logging.Formatter):
    """Formats a record as one printable line with its time in UTC, so that logged text cannot forge another line."""

    converter = staticmethod(time.gmtime)

    def __init__(self) -> None:
        super().__init__("%(asctime)sZ %(levelname)s %(name)s[%(process)d]: %(message)s", "%Y-%m-%dT%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line, redacted, with its traceback if it has one."""
        return one_line(printable(redact(super().format(record)).text))
