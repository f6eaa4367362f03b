"""What several commands take: long texts from files or standard input, words out of an enum, a journal."""

from __future__ import annotations

import argparse
import sys
from enum import Enum
from pathlib import Path
from typing import Generic, TypeVar

from memorycli.errors import CommandError
from memoryserver.common import text

TEXT_HELP = "Texts: '-' reads standard input, '@FILE' a file; begin with '@@' to mean a literal '@'."
_MAX_BYTES = 10 * 1024 * 1024

Choice = TypeVar("Choice", bound=Enum)


class choice(Generic[Choice]):  # noqa: N801 - called like a function
    """An argparse type for the values of `enum`; a wrong one is answered with the nearest and with all.

    `words` are the values, for whoever offers them.
    """

    def __init__(self, enum: type[Choice]) -> None:
        self._enum = enum
        self.words = tuple(str(member.value) for member in enum)

    def __call__(self, word: str) -> Choice:
        """The member whose value `word` is."""
        for member in self._enum:
            if member.value == word.strip().lower().replace("_", "-"):
                return member
        raise argparse.ArgumentTypeError(_wrong(word, list(self.words)))


def metavar(enum: type[Enum]) -> str:
    """How help calls a value of `enum`."""
    return enum.__name__.upper()


def one_of(enum: type[Enum]) -> str:
    """The values of `enum` for a help text."""
    return ", ".join(str(member.value) for member in enum)


def read_text(value: str | None, option: str) -> str | None:
    """The text that `option` was given: itself, of standard input for `-`, of a file for `@FILE`.

    One final line break of a file or of standard input is dropped. Raises CommandError where there is
    nothing but blanks, or no such file.
    """
    if value is None:
        return None
    if value == "-":
        content = text.decode(sys.stdin.buffer.read(_MAX_BYTES)).removesuffix("\n")
    elif value.startswith("@@"):
        content = value[1:]
    elif value.startswith("@"):
        content = _read_file(value[1:], option)
    else:
        content = value
    if not content.strip():
        where = " (standard input had nothing; it can be read once)" if value == "-" else ""
        raise CommandError(f"{option} is empty{where}")
    return content


def required_text(value: str, option: str) -> str:
    """`read_text` of an option that is always given."""
    return read_text(value, option) or ""


def _read_file(name: str, option: str) -> str:
    try:
        with Path(name).open("rb") as file:
            return text.decode(file.read(_MAX_BYTES)).removesuffix("\n")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or error
        raise CommandError(
            f"cannot read {name!r} for {option}: {reason}; begin the text with '@@' to mean a literal '@'"
        ) from error


def _wrong(word: str, words: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word.lower(), words, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{text.shorten(text.one_line(word), 40)!r} is unknown; {hint}choose one of {', '.join(words)}"
