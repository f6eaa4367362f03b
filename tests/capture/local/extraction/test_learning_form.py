"""What is asked of a learning that an agent or a person stores by hand."""

from __future__ import annotations

import pytest

from bench.support import stored_wordings
from capture.local.extraction.learning_form import fault_of, is_copy

GOOD = [
    ("gotcha", "Vitest watches by default, so `npm test` never ends; use `npx vitest run`"),
    ("convention", "Use pnpm, not npm"),
    ("learning", "go-git does not read the global gitignore"),
    ("test", "Run `just check` before a commit: CI fails below 90 % coverage"),
    ("error_recovery", "The export hung because the backup holds the lock; setting `lock_timeout` ends the wait"),
    ("decision", "Dates are stored in UTC, since two laptops disagreed about the day"),
    ("learning", "use pnpm, not npm"),
    ("learning", "pnpm not npm"),
    ("learning", "amounts should be in cents"),
    ("learning", "let's not mock our own code"),
    ("learning", "an order may have several invoices"),
    ("learning", "here we use poetry"),
    ("learning", "npm ではなく pnpm を使う"),
    ("learning", "金额以分为单位存储"),
    ("learning", "so wird gebaut: erst der Client, dann der Server"),
    ("preference", "Please keep the imports sorted by isort, not by hand"),
]
FAULTY = [
    ("All 66 tests pass", "it says how this task went; say what will also hold in the next one"),
    ("Added a `--json` option to the export", "it says how this task went; say what will also hold in the next one"),
    ("Why does `go test` ignore the cache?", "it is a question; store the answer, once it is known"),
    ("I need to look at `store.py` first", "it is a plan; store what you know, not what you will do"),
    (
        "The server on staging currently runs v2.3",
        "it holds only for the moment (“currently”); say what will hold next month",
    ),
    (
        "The parser in this branch drops `\\r`",
        "it holds only for the moment (“in this branch”); say what will hold next month",
    ),
    ("The cache in `store.py` might be stale", "it is a guess; check it first, then state it as a fact"),
    (
        "It fails when `DEBUG` is unset",
        "it points at something that it does not name; name it, so that it can be read alone",
    ),
    (
        "The test failed and the fix works",
        "it names nothing; say which file, command, tool, setting or version it is about",
    ),
    ("なぜですか？", "it is a question; store the answer, once it is known"),
    ("!!!", "it names nothing; say which file, command, tool, setting or version it is about"),
    ("npm", "it names nothing; say which file, command, tool, setting or version it is about"),
    ("always write clean code", "it names nothing; say which file, command, tool, setting or version it is about"),
    ("CI is running", "it names nothing; say which file, command, tool, setting or version it is about"),
    ("Amounts should be fixed now", "it is a guess; check it first, then state it as a fact"),
    ("Plan: split the module", "it is a plan; store what you know, not what you will do"),
    ("add a dark mode", "it is a plan; store what you know, not what you will do"),
    ("The harness of `store.py` creates:", "it ends with a colon; add what follows it"),
    (
        f"`a.py` {'does this and that ' * 40}".strip(),
        "it has 766 characters; store the one fact that matters, in up to three sentences",
    ),
]


@pytest.mark.parametrize(("type_", "content"), GOOD, ids=[content[:20] for _, content in GOOD])
def test_good_learning_lacks_nothing(type_: str, content: str) -> None:
    assert fault_of(type_, content) is None


@pytest.mark.parametrize(("content", "reason"), FAULTY, ids=[content[:20] for content, _ in FAULTY])
def test_what_is_missing_is_named_in_one_clause(content: str, reason: str) -> None:
    fault = fault_of("learning", content)

    assert fault is not None
    assert fault.reason == reason


@pytest.mark.parametrize("content", [content for content, _ in FAULTY], ids=[content[:20] for content, _ in FAULTY])
def test_example_of_a_good_form_has_that_form_itself(content: str) -> None:
    fault = fault_of("learning", content)

    assert fault is not None
    assert fault_of("learning", fault.example) is None
    assert str(fault) == f"{fault.reason}. A good one: “{fault.example}”"


def test_types_that_are_about_one_task_are_never_of_the_form() -> None:
    fault = fault_of("handoff", "The parser of `export.py` needs a test for `\\r`")

    assert fault is not None
    assert fault.reason.startswith("it says how this task went")


def test_at_most_three_in_a_hundred_good_wordings_are_refused() -> None:
    wordings = stored_wordings.GOOD + stored_wordings.LATER_GOOD
    refused = [text for text in wordings if fault_of("learning", text)]

    assert len(refused) <= 0.03 * len(wordings)


def test_nineteen_in_twenty_bad_wordings_are_refused() -> None:
    wordings = stored_wordings.BAD + stored_wordings.LATER_BAD
    refused = [text for text in wordings if fault_of("learning", text)]

    assert len(refused) >= 0.95 * len(wordings)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Use pnpm, not npm", "use pnpm -- not npm!", True),
        ("Run `just check` before each commit", "Run `just check` before a commit", False),
        ("Run `just check` before you push to main", "Run `just check` before you push to `main`.", True),
        ("Wait 5 seconds for the lock in `store.py`", "Wait 50 seconds for the lock in `store.py`", False),
        ("The hook of `store.py` reads the cache", "The hook of `store.py` never reads the cache", False),
        ("use pnpm, not npm", "use npm, not pnpm", False),
        ("Run the linter before you run the tests of `api`", "Run the tests before you run the linter of `api`", False),
        (
            "The `billing-eu` worker must be drained before `ledger-eu` starts or its leases expire.",
            "The `billing-us` worker must be drained before `ledger-us` starts or its leases expire.",
            False,
        ),
        (
            "Use `uv run pytest` in `services/api`, since each service has a lock file of its own",
            "Use `uv run pytest` in `services/web`, since each service has a lock file of its own",
            False,
        ),
        (
            "Set sigma_a before the first step, since it is read once for the whole run",
            "Set sigma_e before the first step, since it is read once for the whole run",
            False,
        ),
        (
            "Delete the branch with `git branch -d` only after the pull request was merged",
            "Delete the branch with `git branch -D` only after the pull request was merged",
            False,
        ),
        (
            "The wheel v2 of the client needs a token for the whole team",
            "The wheel v3 of the client needs a token for the whole team",
            False,
        ),
        ("Read-only replicas of `db` lag by a minute.", "read-only replicas of db lag by a minute", True),
        ("Call `drain()` in src/queue.py before a fork", "Call `drain` in `src/queue.py` before a fork", True),
        ("npm ではなく pnpm を使う", "pnpm ではなく npm を使う", False),
        ("npm ではなく pnpm を使う", "npm ではなく pnpm を使う。", True),
        ("никогда не пушить в main", "Никогда не пушить в `main`!", True),
        ("никогда не пушить в main", "Всегда пушить в main", False),
        ("", "", False),
    ],
    ids=[
        "punctuation",
        "short and different",
        "back-ticks",
        "figures",
        "negation",
        "opposite",
        "other order",
        "names in code",
        "paths in code",
        "identifiers",
        "capitals of an option",
        "versions",
        "back-ticks and capitals of plain words",
        "back-ticks of a path",
        "opposite in Japanese",
        "same in Japanese",
        "same in Russian",
        "opposite in Russian",
        "empty",
    ],
)
def test_copy_has_nearly_the_same_words_in_order_and_the_same_figures_negations_and_names(
    first: str, second: str, same: bool
) -> None:
    assert is_copy(first, second) is same
