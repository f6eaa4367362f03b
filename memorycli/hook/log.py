"""`$MEMORYSERVER_HOME/logs/hook.log`: the only place where the hook reports errors."""

from __future__ import annotations

import contextlib
import os
import time

FILE = "logs/hook.log"  # below the home
MAX_BYTES = 256 * 1024
_MAX_LINE = 2000


def write(message: str) -> None:
    """Add a line, redacted, with the time and the process; at 256 KiB the file becomes `hook.log.1`. Never raises."""
    # A full disk or a home that cannot be written leaves nowhere to say so.
    with contextlib.suppress(Exception):
        from memoryserver.client import home_folder
        from memoryserver.common import files, text
        from memoryserver.common.redaction import redact

        path = home_folder.path() / FILE
        files.make_folder(path.parent)
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_size > MAX_BYTES:
                os.replace(path, path.with_name("hook.log.1"))
        line = text.shorten(text.one_line(text.printable(redact(message[: _MAX_LINE * 4]).text)), _MAX_LINE)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        files.append_line(path, f"{stamp} [{os.getpid()}] {line}", durable=False)
