"""How long ago something was, in words."""

from __future__ import annotations


def ago(seconds: float) -> str:
    """Return how long ago it was, such as "3 hours ago", for an age in seconds that is not negative."""
    for size, word in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {word} ago"
    return "just now" if seconds < 60 else "a minute ago"
