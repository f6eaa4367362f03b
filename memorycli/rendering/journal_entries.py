"""Renders journal entries in a line each."""

from __future__ import annotations

from ghap.local import GHAPEntry
from ghap.local.rendering import summary
from memorycli.rendering import terminal
from memorycli.rendering.terminal import paint

_STYLES = {"confirmed": "green", "falsified": "red", "abandoned": "dim", "active": "yellow"}


def line(entry: GHAPEntry, *, indent: int = 0) -> str:
    """Return the entry in one line that fits the terminal, its state in colour."""
    text = summary(entry, width=max(terminal.width(), _LEAST) - indent)
    state = entry.outcome.status.value if entry.outcome else "active"
    head, _, rest = text.partition(f"  {state}")
    return f"{'':{indent}}{paint(head, 'cyan')}  {paint(state, _STYLES[state])}{rest}"


_LEAST = 60  # columns: the id, the state and a few words of the goal; a narrower terminal wraps the line
