"""Times on the command line."""

from __future__ import annotations

import re
import time
from argparse import ArgumentTypeError

from memoryserver.common import clock

TIME_HELP = "Unix milliseconds, a time like 2026-11-27T12:00:00Z, or how long ago: 90s, 30m, 2h, 7d"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def moment(text: str) -> int:
    """Return the Unix milliseconds of a time or an age. Raises ArgumentTypeError that names the accepted forms."""
    ago = re.fullmatch(r"([0-9]{1,9})([smhd])", text)
    if ago:
        return time.time_ns() // 1_000_000 - int(ago[1]) * _SECONDS[ago[2]] * 1000
    if re.fullmatch(r"-?[0-9]{1,15}", text):
        return int(text)
    try:
        return round(clock.from_text(text).timestamp() * 1000)
    except (ValueError, OverflowError) as error:
        raise ArgumentTypeError(f"{text!r} is not a time; give {TIME_HELP}") from error
