"""GHAP entries for tests of the server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from ghap.local import GHAPEntry

BORN = datetime(2026, 11, 20, 14, 30, 22, tzinfo=UTC)
RESOLVED = datetime(2026, 11, 20, 14, 50, tzinfo=UTC)


def body(**changes: Any) -> dict[str, Any]:
    """A confirmed entry as the laptop sends it; a change to None leaves the field out."""
    entry: dict[str, Any] = {
        "id": "ghap_20261120_143022_a1b2c3",
        "session_id": "session_20261120_140000_d4e5f6",
        "created_at": "2026-11-20T14:30:22Z",
        "domain": "debugging",
        "strategy": "systematic-elimination",
        "goal": "Stop the export from hanging",
        "hypothesis": "It waits for a lock",
        "action": "Set lock_timeout",
        "prediction": "It fails within a minute",
        "history": [],
        "iteration_count": 2,
        "outcome": {
            "status": "confirmed",
            "result": "Lock timeout after 30 s",
            "captured_at": "2026-11-20T14:50:00Z",
            "auto_captured": False,
        },
        "confidence_tier": "silver",
        "notes": [],
        **changes,
    }
    return {name: value for name, value in entry.items() if value is not None}


def lately(**changes: Any) -> dict[str, Any]:
    """A confirmed entry that was resolved an hour ago, for what looks at the last days alone."""
    began, resolved = (datetime.now(UTC) - timedelta(hours=hours) for hours in (2, 1))
    outcome = {**body()["outcome"], "captured_at": resolved.isoformat()}
    return body(**{"created_at": began.isoformat(), "outcome": outcome, **changes})


def falsified(**changes: Any) -> dict[str, Any]:
    """An entry whose prediction failed, with everything that can be said about it."""
    return body(
        **{
            "outcome": {
                "status": "falsified",
                "result": "It still hung",
                "captured_at": "2026-11-20T14:50:00Z",
                "auto_captured": False,
            },
            "surprise": "No lock was held at all",
            "root_cause": {"category": "wrong-assumption", "description": "The disk was full"},
            "lesson": {"what_worked": "Reading the kernel log", "takeaway": "Look at df first"},
            **changes,
        }
    )


def entry(**changes: Any) -> GHAPEntry:
    """The confirmed entry itself."""
    return GHAPEntry.from_dict(body(**changes))


def falsified_entry(**changes: Any) -> GHAPEntry:
    """The falsified entry itself."""
    return GHAPEntry.from_dict(falsified(**changes))
