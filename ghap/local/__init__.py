"""The GHAP journal on the laptop.

Names are imported when they are first used. A hook imports `ghap.local.active` or `ghap.local.counter` at every tool
call, which runs this module; with plain imports it would load the entry's classes, which add 0.8 times the start of
`python -c "import json"`, and would need aiofiles, which only ObservationCollector does.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # what type checkers take for true; importing `typing` would cost a hook 4 ms
if TYPE_CHECKING:
    from typing import Any

    from ghap.local.collector import ObservationCollector
    from ghap.local.entry import (
        ROOT_CAUSE_CATEGORIES,
        ConfidenceTier,
        Domain,
        GHAPEntry,
        HistoryEntry,
        Lesson,
        Outcome,
        OutcomeStatus,
        RootCause,
        Strategy,
        compute_confidence_tier,
    )
    from ghap.local.errors import (
        GHAPAlreadyActiveError,
        GHAPError,
        InvalidEntryError,
        JournalCorruptedError,
        JournalLockedError,
        NoActiveGHAPError,
        NoSuchEntryError,
        ResolvedBeforeError,
    )
    from ghap.local.ids import generate_ghap_id, generate_session_id
    from ghap.local.journal import Journal

__all__ = [
    "ROOT_CAUSE_CATEGORIES",
    "ConfidenceTier",
    "Domain",
    "GHAPAlreadyActiveError",
    "GHAPEntry",
    "GHAPError",
    "HistoryEntry",
    "InvalidEntryError",
    "Journal",
    "JournalCorruptedError",
    "JournalLockedError",
    "Lesson",
    "NoActiveGHAPError",
    "NoSuchEntryError",
    "ObservationCollector",
    "Outcome",
    "OutcomeStatus",
    "ResolvedBeforeError",
    "RootCause",
    "Strategy",
    "compute_confidence_tier",
    "generate_ghap_id",
    "generate_session_id",
]

_MODULES = {
    "Journal": "journal",
    "ObservationCollector": "collector",
    "generate_ghap_id": "ids",
    "generate_session_id": "ids",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _MODULES.get(name, "errors" if name.endswith("Error") else "entry")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value
