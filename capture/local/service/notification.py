"""Desktop notifications, by the program that the desktop has for it. The text is handed over as an argument, never
as part of a script."""

from __future__ import annotations

import html
import logging
import shutil
import subprocess
import sys

from memoryserver.client import config
from memoryserver.common.text import one_line, printable, shorten

_log = logging.getLogger(__name__)
SETTING = config.KEYS["notify"].variable
_TITLE = "memoryserver"
_LONGEST = 240
_TIMEOUT = 5.0  # seconds
_SCRIPT = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)


def wanted() -> bool:
    """Whether the setting `notify` asks for notifications; without it there are none."""
    return config.value("notify") is True


def command(text: str, *, platform: str = sys.platform) -> list[str]:
    """What shows `text` on this desktop; its first word is a program that may not be there."""
    said = shorten(one_line(printable(text)), _LONGEST)
    if platform == "darwin":
        lines = [word for line in _SCRIPT for word in ("-e", line)]
        return ["osascript", *lines, _TITLE, said]  # behind the title no word is taken for an option
    # The desktop reads the body as markup.
    return ["notify-send", f"--app-name={_TITLE}", "--", _TITLE, html.escape(said, quote=False)]


def show(text: str, *, platform: str = sys.platform) -> None:
    """Show `text` where the desktop can; where it cannot, the log says why."""
    words = command(text, platform=platform)
    if shutil.which(words[0]) is None:
        _log.info("no notification: there is no %s", words[0])
        return
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_TIMEOUT)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        _log.info("no notification: %s", error)
        return
    if done.returncode:
        _log.info("no notification: %s", one_line(done.stderr.decode("utf-8", "replace").strip()))
