"""What the terminal can show: how many columns it has, and whether it takes colours."""

from __future__ import annotations

import os
import sys
from typing import TextIO

DEFAULT_WIDTH = 80  # columns, where the output is not a terminal
LONGEST_LINE = 100  # columns of running text; longer lines are hard to read
_NARROWEST = 20
_SEQUENCES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "cyan": "36",
}


def is_terminal(stream: TextIO | None = None) -> bool:
    """Return whether `stream` (standard output by default) is shown on a terminal."""
    stream = sys.stdout if stream is None else stream
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # none, or closed
        return False


def has_colour(stream: TextIO | None = None) -> bool:
    """Return whether colours are shown on `stream`: on terminals, unless NO_COLOR or TERM=dumb forbid it."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not is_terminal(stream):
        return False
    # The classic console of Windows prints the sequences; newer terminals name themselves.
    return os.name != "nt" or any(os.environ.get(name) for name in ("WT_SESSION", "ANSICON", "TERM", "TERM_PROGRAM"))


def width(stream: TextIO | None = None) -> int:
    """Return the columns of the terminal: COLUMNS if set, else what `stream` (standard output) says, else 80."""
    try:
        columns = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        columns = 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size((sys.stdout if stream is None else stream).fileno()).columns
        except (AttributeError, OSError, ValueError):  # no terminal
            columns = DEFAULT_WIDTH
    return max(columns, _NARROWEST) if columns > 0 else DEFAULT_WIDTH


def text_width() -> int:
    """Return the columns for running text: those of the terminal, at most LONGEST_LINE."""
    return min(width(), LONGEST_LINE)


def paint(text: str, *styles: str) -> str:
    """Return `text` with `styles` (bold, dim or a colour) where standard output shows colours, else as it is.

    Call it last: the sequences count as letters to whatever measures the text.
    """
    if not text or not styles or not has_colour():
        return text
    return f"\033[{';'.join(_SEQUENCES[style] for style in styles)}m{text}\033[0m"


def agreed(question: str) -> bool:
    """Ask on the terminal; return whether the answer is yes, which it is by default."""
    try:
        answer = input(f"{question} [Y/n] ")
    except EOFError:
        return False
    return answer.strip().lower() in ("", "y", "yes")
