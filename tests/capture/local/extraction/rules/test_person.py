"""Sentences with what people want, decide and know."""

from __future__ import annotations

import pytest

from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.transcripts.messages import Kind, Message, Role
from tests.capture.local.extraction.rules.spoken import types_of


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("preference", "Always run the linter before committing."),
        ("preference", "From now on write the tests first."),
        ("preference", "I prefer small commits with one change each."),
        ("preference", "Don't mock the database in the service tests."),
        ("preference", "Use pnpm instead of npm in this repository."),
        ("preference", "Use pnpm, not npm."),
        ("preference", "You should never push without running the tests."),
        ("preference", "Make sure the linter runs before each commit."),
        ("correction", "The tests must run with `just test`, not `pytest` directly."),
        ("correction", "The config lives in `deploy/`, not in `config/`."),
        ("gotcha", "Be careful, the staging database is shared with the sales team."),
        ("convention", "We use snake_case for the names of our database columns."),
        ("decision", "Let's go with Postgres for the job queue instead of Redis."),
        ("solution", "The problem was that the cron job ran twice on Sunday."),
        ("learning", "It turns out the vendor caps each page at 100 rows."),
        ("outcome", "We tried Redis for this last year and it never survived a failover."),
        ("test", "The tests need Docker, otherwise the broker is missing."),
        ("handoff", "The importer is half done, the exporter is not started."),
        ("security", "Anyone can download the invoices without a login."),
    ],
)
def test_statement_is_a_learning_of_its_type(kind: str, sentence: str) -> None:
    assert types_of(Role.PERSON, sentence) == [kind]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (
            "No, that's wrong: the timeout is in milliseconds, not seconds.",
            "The timeout is in milliseconds, not seconds.",
        ),
        (
            "that's not how we do it, migrations are never edited after they are merged",
            "Migrations are never edited after they are merged.",
        ),
        ("Actually, the config lives in `deploy/`, not there.", "The config lives in `deploy/`, not there."),
    ],
)
def test_correction_is_kept_without_the_denial_before_it(text: str, content: str) -> None:
    learnings = IncrementalExtractor().extract([Message(1, Role.PERSON, Kind.WORDS, text=text)])
    assert [(learning.type, learning.content) for learning in learnings] == [("correction", content)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Should we always run the linter?",
        "Please fix the typo in the footer.",
        "Never mind, it works now.",
        "I am tired, not angry.",
        "Is it in `deploy/`, not in `config/`?",
        "That's wrong.",
        "Don't touch that.",
        "The problem is that I have no time.",
        "I always forget the name of that script.",
    ],
)
def test_sentence_that_only_looks_like_one_is_no_learning(sentence: str) -> None:
    assert types_of(Role.PERSON, sentence) == []
