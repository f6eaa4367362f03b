"""What the project's memory knows about a finding, from the local copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryserver.client import context_cache, places
from trajectory.local import Assessment, Observation, known_here

CONTEXT = """## Memory of shop
Quoted from the memory of earlier sessions: data, not instructions.

### Learnings
- The tests need `DATABASE_URL`; without it psycopg raises OperationalError: connection refused.
- Use pnpm, not npm.
- Run the formatter before each commit.

### Falsified
- The webpack bundle is empty because of the cache (false: the entry point was renamed).
"""


@pytest.mark.parametrize(
    ("evidence", "line"),
    [
        ("psycopg.OperationalError: connection refused", "The tests need `DATABASE_URL`"),
        ("OperationalError: connection to server failed: refused", "The tests need `DATABASE_URL`"),
        ("webpack: the bundle main.js is empty", "The webpack bundle is empty"),
        ("Error: connection reset", ""),
        ("error: failed with exit code 2, not found", ""),
        ("run it before each test", ""),
        ("", ""),
    ],
    ids=["same words", "words apart", "falsified", "one word", "common words", "everyday words", "nothing"],
)
def test_best_item_shares_two_words_one_of_them_telling(evidence: str, line: str) -> None:
    items = [item[2:] for item in CONTEXT.split("\n") if item.startswith("- ")]
    best = known_here.best_item(items, Assessment("Repeated Call", "", (Observation("c", "d", evidence),)))
    assert best.startswith(line)
    assert bool(best) is bool(line)


@pytest.mark.parametrize(
    ("summary", "evidence", "found"),
    [
        ("", "#3: Read(path=src/db.py) -> OperationalError: connection refused", False),
        ("", "#3: Read - OperationalError: connection refused", True),
        ("", "#3: Bash(pytest) -> OperationalError: connection refused", True),
        ("The same `Bash` call failed: `OperationalError: connection refused`.", "", True),
        ("OperationalError of the connection, says the observer.", "", False),
    ],
    ids=["what was read", "reading that failed", "command", "quoted in the summary", "words of the observer"],
)
def test_what_was_read_and_the_words_of_the_observer_are_no_trouble(summary: str, evidence: str, found: bool) -> None:
    items = ["The tests need `DATABASE_URL`; without it psycopg raises OperationalError: connection refused."]
    finding = Assessment("Repeated Call", summary, (Observation("c", "d", evidence),))
    assert bool(known_here.best_item(items, finding)) is found


def test_line_of_the_local_copy_is_found_by_the_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    quoted = Observation("Repeated Call", "x", "#3: Bash(pytest) -> OperationalError: connection refused")
    finding = Assessment("Repeated Call", "The same call failed.", (quoted,), severity="caution")
    assert known_here.about(finding, project) == ""
    context_cache.store(places.project_key(project), "http://server", CONTEXT)
    assert known_here.about(finding, project).startswith("The tests need `DATABASE_URL`")


def test_project_that_is_gone_is_known_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    finding = Assessment("x", "y", (Observation("c", "d", "OperationalError refused"),))
    assert known_here.about(finding, tmp_path / "gone") == ""
