"""Which checks run, and what becomes of one that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycli.delivery import connection
from memorycli.doctor import checks
from memorycli.doctor.finding import Finding, View
from tests.support.fakes.api_server import HttpServer
from tests.support.laptops.laptop import Laptop

SERVER_CHECKS = ["login", "server", "token", "clock", "versions"]


def test_laptop_without_problems_passes_every_check(memory: Laptop, server: HttpServer) -> None:
    assert checks.examine() == {name: [] for name in checks.CHECKS}


def test_offline_the_checks_of_the_server_are_left_out(memory: Laptop, server: HttpServer) -> None:
    assert list(checks.examine(offline=True)) == [name for name in checks.CHECKS if name not in SERVER_CHECKS]


def test_without_a_login_only_the_login_is_checked(memory: Laptop) -> None:
    assert [name for name in checks.examine() if name in SERVER_CHECKS] == ["login"]


def test_without_an_answer_token_clock_and_version_are_not_checked(memory: Laptop) -> None:
    connection.store("http://127.0.0.1:1", "t")

    assert [name for name in checks.examine() if name in SERVER_CHECKS] == ["login", "server"]


def test_check_that_fails_is_a_finding_and_the_others_run(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(view: View) -> list[Finding]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setitem(checks.CHECKS, "journal", broken)

    results = checks.examine(offline=True)

    assert [name for name, findings in results.items() if findings] == ["journal"]
    assert results["journal"] == [
        Finding("the check failed: [Errno 13] Permission denied", "fix that error and run memory doctor again")
    ]


def test_every_check_has_a_test_that_makes_it_find_something() -> None:
    modules = [path for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__)]
    source = "".join(path.read_text() for path in modules)

    assert [name for name in checks.CHECKS if f'"{name}"' not in source] == []
