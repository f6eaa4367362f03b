"""Entries as hypothesis makes them, and as the published form gives them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from ghap.local import (
    ConfidenceTier,
    Domain,
    GHAPEntry,
    HistoryEntry,
    Lesson,
    Outcome,
    OutcomeStatus,
    RootCause,
    Strategy,
)

PUBLISHED_CURRENT = """{
  "id": "ghap_20251203_143022_a1b2c3",
  "session_id": "session_20251203_140000_x7y8z9",
  "created_at": "2025-12-03T14:30:22Z",
  "domain": "debugging",
  "strategy": "systematic-elimination",
  "goal": "Fix flaky test in test_cache.py",
  "hypothesis": "The flakiness is caused by test pollution from previous test leaving cache state",
  "action": "Adding teardown to clean cache state between tests",
  "prediction": "Test will pass consistently when run in isolation and in sequence",
  "history": [
    {
      "timestamp": "2025-12-03T14:30:22Z",
      "hypothesis": "Timing issue with cache expiry check running before cache actually expires",
      "action": "Adding explicit sleep to allow cache expiry",
      "prediction": "Test passes with the added delay"
    }
  ],
  "iteration_count": 2,
  "notes": ["Checked logs, no timing issues visible in timestamps"]
}"""

PUBLISHED_LINE = (
    '{"id": "ghap_20251203_141500_b2c3d4", "session_id": "session_20251203_140000_x7y8z9", '
    '"created_at": "2025-12-03T14:15:00Z", "domain": "feature", "strategy": "research-first", '
    '"goal": "Add pagination to API", "hypothesis": "...", "action": "...", "prediction": "...", '
    '"history": [], "iteration_count": 1, "outcome": {"status": "confirmed", '
    '"result": "Pagination works correctly", "captured_at": "2025-12-03T14:20:00Z", '
    '"auto_captured": false}, "confidence_tier": "silver", "notes": []}'
)

MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Where a test puts folders whose speed matters and which need no disk."""

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
moments = st.datetimes(datetime(1971, 1, 1), datetime(2999, 1, 1), timezones=st.just(UTC))
extras = st.dictionaries(
    texts.map(lambda name: f"x-{name}"), st.none() | st.booleans() | st.integers() | texts | st.lists(texts), max_size=2
)
digits = st.text("0123456789abcdef", min_size=6, max_size=6)

entries = st.builds(
    GHAPEntry,
    id=digits.map(lambda word: f"ghap_20251203_143022_{word}"),
    session_id=digits.map(lambda word: f"session_20251203_140000_{word}"),
    created_at=moments,
    domain=st.sampled_from(Domain),
    strategy=st.sampled_from(Strategy),
    goal=texts,
    hypothesis=texts,
    action=texts,
    prediction=texts,
    history=st.lists(st.builds(HistoryEntry, moments, texts, texts, texts, extras), max_size=3),
    iteration_count=st.integers(1, 1000),
    outcome=st.none() | st.builds(Outcome, st.sampled_from(OutcomeStatus), texts, moments, st.booleans(), extras),
    surprise=st.none() | texts,
    root_cause=st.none() | st.builds(RootCause, texts, texts, extras),
    lesson=st.none() | st.builds(Lesson, texts, st.none() | texts, extras),
    confidence_tier=st.none() | st.sampled_from(ConfidenceTier),
    notes=st.lists(texts, max_size=3),
    check=st.none() | texts,
    current_since=st.none() | moments,
    extra=extras,
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def body(**changes: Any) -> dict[str, Any]:
    """A resolved entry as JSON object with `changes`."""
    return {
        "id": "ghap_20251203_141500_b2c3d4",
        "session_id": "session_20251203_140000_x7y8z9",
        "created_at": "2025-12-03T14:15:00Z",
        "domain": "feature",
        "strategy": "research-first",
        "goal": "Add pagination to API",
        "hypothesis": "Offset is slow",
        "action": "Use a cursor",
        "prediction": "Page 1000 is as fast as page 1",
        "history": [],
        "iteration_count": 1,
        "outcome": {
            "status": "confirmed",
            "result": "It is",
            "captured_at": "2025-12-03T14:20:00Z",
            "auto_captured": False,
        },
        "confidence_tier": "silver",
        "notes": [],
        **changes,
    }
