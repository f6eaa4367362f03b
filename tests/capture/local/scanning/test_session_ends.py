"""When the session of a transcript has ended; all times in seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.scanning.session_ends import end_of, may_have_ended

SECOND = 1_000_000_000
NOW = 100_000
CODEX = "019a1b2c-3d4e-7f60-8a9b-0c1d2e3f4a5b"


class Ended:
    """The recorded ends."""

    def __init__(self, **ends: int) -> None:
        self.ends = {session: end * SECOND for session, end in ends.items()}

    def end_of(self, session_id: str) -> int | None:
        return self.ends.get(session_id)

    def latest(self) -> int:
        return max(self.ends.values(), default=0)


CASES = {
    "running": ("s1.jsonl", NOW - 10, Ended(), None),
    "silent for 29 minutes": ("s1.jsonl", NOW - 29 * 60, Ended(), None),
    "silent for 30 minutes": ("s1.jsonl", NOW - 30 * 60, Ended(), NOW - 30 * 60),
    "ended": ("s1.jsonl", NOW - 20, Ended(s1=NOW - 10), NOW - 10),
    "written to while it ended": ("s1.jsonl", NOW - 10, Ended(s1=NOW - 60), NOW - 60),
    "written to since": ("s1.jsonl", NOW - 10, Ended(s1=NOW - 71), None),
    "another one ended": ("s1.jsonl", NOW - 20, Ended(s2=NOW - 10), None),
    "Codex's ended": (f"rollout-2026-11-20T14-30-22-{CODEX}.jsonl", NOW - 20, Ended(**{CODEX: NOW - 10}), NOW - 10),
    "its parent ended": ("s2/subagents/agent-1.jsonl", NOW - 20, Ended(s2=NOW - 10), NOW - 10),
    "ended and then resumed silently": ("s1.jsonl", NOW - 40 * 60, Ended(s1=NOW - 50 * 60), NOW - 40 * 60),
}


@pytest.mark.parametrize("case", CASES)
def test_end_of_a_session(case: str) -> None:
    name, written, ended, expected = CASES[case]
    transcript = Path("/projects/shop", name)

    end = end_of(transcript, written * SECOND, ended, NOW * SECOND)  # type: ignore[arg-type]

    assert end == (None if expected is None else expected * SECOND)
    # What needs no state never misses an end that is news: the state is saved after the transcript is written to.
    assert end is None or may_have_ended(written * SECOND, ended, NOW * SECOND)  # type: ignore[arg-type]
