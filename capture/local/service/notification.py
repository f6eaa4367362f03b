"""Desktop notifications, shown by the desktop's own program. The text is passed as an argument, never in a script."""

from __future__ import annotations

import html
import logging
import shutil
import subprocess
import sys

from memoryserver.client import config
from memoryserver.common.text import one_line, printable, shorten

_log = logging.getLogger(__name__)
_TITLE = "memoryserver"
_LONGEST = 240
_TIMEOUT = 5.0  # seconds
_SCRIPT = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)


def is_enabled() -> bool:
    """Return whether the setting `notify` enables notifications; by default they are disabled."""
    return config.value("notify") is True


def command(text: str, *, platform: str = sys.platform) -> list[str]:
    """Return the command that shows `text` on this desktop; its program may not be installed."""
    body = shorten(one_line(printable(text)), _LONGEST)
    if platform == "darwin":
        lines = [word for line in _SCRIPT for word in ("-e", line)]
        return ["osascript", *lines, _TITLE, body]  # after the title no word is read as an option
    # The desktop reads the body as markup.
    return ["notify-send", f"--app-name={_TITLE}", "--", _TITLE, html.escape(body, quote=False)]


def show(text: str, *, platform: str = sys.platform) -> None:
    """Show `text` on the desktop; if that fails, log the reason."""
    words = command(text, platform=platform)
    if shutil.which(words[0]) is None:
        _log.info("no notification: %s is not installed", words[0])
        return
    try:
        result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_TIMEOUT)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        _log.info("no notification: %s", error)
        return
    if result.returncode:
        _log.info("no notification: %s", one_line(result.stderr.decode("utf-8", "replace").strip()))
