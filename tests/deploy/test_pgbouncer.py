"""PgBouncer's file: what it says fits the server; that it works is shown by tests/e2e/test_behind_pgbouncer.py."""

from __future__ import annotations

import ast
import configparser

from tests.support.processes.deployment import DEPLOY, known_variables
from tests.test_layout import PACKAGES, modules, tree

TEXT = (DEPLOY / "pgbouncer" / "pgbouncer.ini").read_text()


def settings() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(comment_prefixes=(";",), interpolation=None)
    parser.read_string(TEXT)
    return parser["pgbouncer"]


def lock_names() -> int:
    """How many calls of `try_advisory_lock` there are, with one for each table whose rows are embedded."""
    calls = [
        node
        for path in modules(*PACKAGES)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "try_advisory_lock"
    ]
    return len(calls) + 2


def test_sessions_are_given_out_by_transaction_and_locks_hold() -> None:
    assert settings()["pool_mode"] == "transaction"
    assert settings()["idle_transaction_timeout"] == "0"


def test_sessions_are_twice_as_many_as_locks_can_hold() -> None:
    assert lock_names() <= 10  # as docs/scaling.md says
    assert int(settings()["default_pool_size"]) >= 20


def test_variables_that_the_file_names_exist() -> None:
    named = {word.strip(",;:.") for word in TEXT.split() if word.startswith(("MEMORYSERVER_", "DATABASE_URL"))}

    assert {name.partition("=")[0] for name in named} - known_variables() == set()
    assert len(named) == 3
