"""Chips: the choices of a filter, each with the number of its rows, as `memoryserver/_chips.html` renders them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Chip:
    """One choice: its value in the address, its name, and its number of rows, None if that is not known."""

    value: str
    text: str
    count: int | None
    chosen: bool
