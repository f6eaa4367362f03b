"""Which later learning replaces what an earlier one says, in one of its sentences."""

from __future__ import annotations

import pytest

from capture.merging.replacement import replacement

TESTS = "Money is in `Decimal`, never in floats. And always run the tests with APP_ENV=test ./check.sh, not pytest."
PORT = "Use port 5433 for the staging database, not 5432, because 5432 is the old cluster."


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        (TESTS, "Run the tests with `.venv/bin/pytest`, not `APP_ENV=test ./check.sh`", "rejected"),
        ("The project's tests run with `./check.sh`.", "Run the tests with `pytest`, not `./check.sh`", "rejected"),
        ("`./check.sh` failed; `APP=1 ./check.sh` worked.", "Run checks with `pytest`, not `./check.sh`", "rejected"),
        ("`APP=1 ./check.sh` runs them.", "Use `pytest`, not `./check.sh`", "rejected"),
        (TESTS, "We have moved to pytest: use `.venv/bin/pytest`, ./check.sh is gone. More follows.", "rejected"),
        (TESTS, "check.sh was deleted on 2026-11-28", "rejected"),
        (PORT, "The staging database listens on port 5544, not on 5433", "rejected"),
        (PORT, "The staging database has moved to port 5544", "value"),
        ("Die Datenbank ist auf Port 5433", "Die Datenbank ist jetzt auf Port 5544, nicht mehr 5433", "rejected"),
    ],
)
def test_another_thing_in_the_place_of_one_that_is_rejected_gone_or_changed_replaces_it(
    earlier: str, later: str, expected: str
) -> None:
    assert replacement(earlier, later) == expected


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (PORT, "The production database has moved to port 5544"),
        (PORT, "Use port 5433 for the staging database, not 5432"),
        ("The staging database is on port 5433", "The staging database is on port 5544"),
        ("Run the web tests with `tox`", "Run the API tests with `pytest`, not `tox`"),
        ("The settings are in `config/base.py`", "Use `config/local.py`, not `config/base.py`"),
        ("Run `pytest`, not `./check.sh`", "Run the tests with `pytest`, not `./check.sh`"),
        ("The main branch of the site is master", "The main branch is `master`, not `main`"),
        ("`src/check.sh` runs the tests", "check.sh was deleted"),
        ("check.sh was removed", "check.sh is gone"),
        ("Run the tests with `./check.sh`", "Are the tests run with `pytest`, not `./check.sh`?"),
    ],
    ids=[
        "other thing",
        "in other words",
        "no change",
        "other case",
        "no order",
        "same",
        "same preference",
        "other path",
        "again",
        "asks",
    ],
)
def test_other_things_and_cases_replace_nothing(earlier: str, later: str) -> None:
    assert replacement(earlier, later) is None
