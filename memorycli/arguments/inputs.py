"""Argument types that several commands share: texts from files or standard input, values of an enum, numbers."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Generic, TypeVar

from memorycli.errors import CommandError, UsageError
from memoryserver.common import text

TEXT_HELP = "Texts: '-' reads standard input, '@FILE' a file; begin with '@@' to mean a literal '@'."
_MAX_BYTES = 10 * 1024 * 1024

Choice = TypeVar("Choice", bound=Enum)


class choice(Generic[Choice]):  # noqa: N801 - called like a function
    """An argparse type for the values of `enum`; the error for a wrong one names the nearest and all.

    `words` are the values, for help and completion.
    """

    def __init__(self, enum: type[Choice]) -> None:
        self._enum = enum
        self.words = tuple(str(member.value) for member in enum)

    def __call__(self, word: str) -> Choice:
        """Return the member whose value is `word`."""
        for member in self._enum:
            if member.value == word.strip().lower().replace("_", "-"):
                return member
        raise argparse.ArgumentTypeError(_wrong(word, list(self.words)))


def whole_number(lowest: int, highest: int | None = None) -> Callable[[str], int]:
    """Return an argparse type for whole numbers from `lowest` to `highest` (None: no bound)."""
    upper = "" if highest is None else f" to {highest}"

    def parse(word: str) -> int:
        number = text.parse_number(word)
        if number is None or number < lowest or (highest is not None and number > highest):
            shown = text.shorten(text.one_line(word), 40)
            raise argparse.ArgumentTypeError(f"{shown!r} is not a whole number from {lowest}{upper}")
        return number

    return parse


def metavar(enum: type[Enum]) -> str:
    """Return the name of a value of `enum` in a help text."""
    return enum.__name__.upper()


def one_of(enum: type[Enum]) -> str:
    """Return the values of `enum` for a help text."""
    return ", ".join(str(member.value) for member in enum)


def read_text(value: str | None, option: str) -> str | None:
    """Return the text of `option`: `value` itself, standard input for `-`, the file for `@FILE`; None for None.

    One final line break of a file or of standard input is dropped. Raises CommandError for a blank text
    and where the file cannot be read.
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
        where = " (standard input was empty; it can be read once)" if value == "-" else ""
        raise UsageError(f"{option} is empty{where}")
    return content


def required_text(value: str, option: str) -> str:
    """Return the text of a required option, as `read_text` does."""
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

    near = difflib.get_close_matches(word.lower(), words, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{text.shorten(text.one_line(word), 40)!r} is unknown; {hint}choose one of {', '.join(words)}"
