"""Which later learning contradicts an earlier one, by their words."""

from __future__ import annotations

import pytest

from bench.support.contradiction_pairs import COMPATIBLE, CONTRADICTING
from bench.support.duplicate_pairs import SAME
from capture.merging.contradiction import Reason, contradiction


def numbered(pairs: list[tuple[str, str]]) -> list[str]:
    return [str(number) for number in range(len(pairs))]


@pytest.mark.parametrize(("earlier", "later"), COMPATIBLE, ids=numbered(COMPATIBLE))
def test_pairs_labelled_as_compatible_do_not_contradict_each_other(earlier: str, later: str) -> None:
    assert (contradiction(earlier, later), contradiction(later, earlier)) == (None, None)


@pytest.mark.parametrize(("first", "second"), SAME, ids=numbered(SAME))
def test_pairs_that_say_the_same_do_not_contradict_each_other(first: str, second: str) -> None:
    assert (contradiction(first, second), contradiction(second, first)) == (None, None)


def test_three_quarters_of_the_contradicting_pairs_are_recognised() -> None:
    recognised = [pair for pair in CONTRADICTING if contradiction(*pair)]

    assert len(recognised) >= 34


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        ("Use `requests` for HTTP calls", "Use `httpx` for HTTP calls, not `requests`", "rejected"),
        ("The linter is `flake8`", "We replaced `flake8` with `ruff`", "rejected"),
        ("Team mates can see hidden learnings", "Team mates cannot see hidden learnings", "negation"),
        ("The parser fails on files with a BOM", "The parser accepts files with a BOM", "negation"),
        ("The service listens on port 8000", "The service listens on port 8080", "value"),
        ("Tokens expire after one hour", "Tokens expire after 24 hours", "value"),
    ],
    ids=["preferred to it", "replaced", "not", "opposite verb", "figure", "figure in words"],
)
def test_reason_says_how_they_contradict(earlier: str, later: str, expected: Reason) -> None:
    assert contradiction(earlier, later) == expected


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ('Run the tests with `uv run pytest -m "not browser"`', "Run the tests with `uv run pytest -m browser`"),
        ("Deploy with `make deploy`", "Deploy with `kubectl apply -k deploy/`"),
        ("We lost the navigation of the combined page", "Oh no, we lost the navigation of the combined page"),
        ("The mounts of submodules need folders", "Mounts of submodules need folders - you can't mount single files"),
        ("The main branch of the repo is master", "The main branch is `master`, not `main`"),
        ("The build needs a lock file", "Why does the build not need a lock file?"),
        ("The build fails without a lock file", "The build needs a lock file"),
        ("The client follows redirects", "The client does not follow redirects unless `follow` is set"),
        (
            "Port 7001 of the staging cluster serves gRPC, so probes need a client",
            "Port 7002 of the staging cluster serves gRPC, so probes need a client",
        ),
        ("On the node 3 of the cluster the disk is slow", "On the node 4 of the cluster the disk is slow"),
        ("", "Not"),
    ],
    ids=[
        "negation inside a command",
        "two commands",
        "interjection",
        "negation in another clause",
        "same preference",
        "question",
        "two negations",
        "condition",
        "two ports",
        "two nodes",
        "empty",
    ],
)
def test_likely_mistakes_are_not_contradictions(earlier: str, later: str) -> None:
    assert (contradiction(earlier, later), contradiction(later, earlier)) == (None, None)


def test_long_statements_that_share_a_negated_clause_are_left_alone() -> None:
    many = " ".join(f"word{number}" for number in range(20))

    assert contradiction(f"The export holds the lock {many}", f"The export does not hold the lock {many}") is None
