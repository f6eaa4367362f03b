"""The scope of one run of the delivery."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memoryserver.client import exclusions, places


@dataclass(frozen=True)
class Journal:
    """A journal's folder and the key of its project."""

    folder: Path
    project: str


@dataclass(frozen=True)
class Scope:
    """The journals to send, whether to send again what failed, and whether files that wait for their turn are due."""

    journals: tuple[Journal, ...] = ()
    retry_failed: bool = False
    ignore_pauses: bool = False


def of_project(folder: Path | None = None, *, retry_failed: bool = False, ignore_pauses: bool = False) -> Scope:
    """Return the scope of the project worked in: its journal, or that in `folder`; no journal in an excluded folder."""
    if exclusions.here():
        return Scope((), retry_failed, ignore_pauses)
    project = places.here()
    journal = Journal(folder or project.journal, project.key())
    return Scope((journal,), retry_failed, ignore_pauses)
