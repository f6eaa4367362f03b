from __future__ import annotations

import pytest

from capture.local.extraction.status_reports import is_status_report

REPORTS = [
    "Coverage is at 70 %",
    "Test coverage went from 64% to 71.5%",
    "All 66 tests pass",
    "All tests are green now",
    "The full suite passes",
    "66 passed, 2 skipped in 4.1 s",
    "12/12 checks passed",
    "All review comments addressed",
    "All issues found by the linter are resolved",
    "New feature: we support .zip",
    "New feature: we support .zip, we should support .tar.gz too",
    "Task: never show the totals twice",
    "Added a `--json` option to the export command",
    "Now the page loads within a second",
    "I've moved the parser into its own module",
    "Next steps: write the documentation",
    "Let me run the linter",
]
LEARNINGS = [
    "Coverage must be at least 90 %, or the build fails",
    "CI has a 100% coverage gate on `pkg/`",
    "The pipeline enforces 85 % coverage of new code",
    "Keep the coverage at 100 % in `core/`",
    "`just check` fails if coverage is below 100%",
    "Run the tests before you push: all tests must pass",
    "Fixed the hang by setting `lock_timeout`, since the backup holds the lock",
    "Next.js rewrites intercept requests to `/tokenizer.css`",
    "go-git does not read the global gitignore",
    "Use pnpm in this repository, not npm",
    "The export hangs because the backup holds its lock",
    "Added columns need a default, because the old workers still write",
    "Updates of the index are only visible after a refresh",
    "Tests of the API need a running Redis",
]


@pytest.mark.parametrize("content", REPORTS)
def test_statement_on_how_the_work_went_is_a_report(content: str) -> None:
    assert is_status_report("learning", content)


@pytest.mark.parametrize("content", LEARNINGS)
def test_statement_that_holds_for_the_next_session_is_none(content: str) -> None:
    assert not is_status_report("learning", content)


@pytest.mark.parametrize(("kind", "expected"), [("handoff", True), ("checkpoint", True), ("convention", False)])
def test_state_of_one_task_is_a_report_whatever_its_wording(kind: str, expected: bool) -> None:
    assert is_status_report(kind, "The export needs the lock of the backup") is expected
