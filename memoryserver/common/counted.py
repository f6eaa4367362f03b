"""Numbers with their nouns, for messages."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return `number`, its thousands separated, with `noun`; with `plural` (or an "s") unless the number is 1."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def counted_kind(number: int, kind: str) -> str:
    """Return `number` with the name of a kind of items in the outbox, such as "session_ends"."""
    plural = kind.replace("_", " ")
    noun = plural.removesuffix("ies") + "y" if plural.endswith("ies") else plural.removesuffix("s")
    return counted(number, noun, plural)
