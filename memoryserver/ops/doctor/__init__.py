"""`manage.py doctor`: a function for each thing that can be wrong with the server, each finding with its cure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A problem: what is wrong, in one sentence, and the command or the action that fixes it."""

    what: str
    fix: str
