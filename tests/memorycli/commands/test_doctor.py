"""`memory doctor` as a person and a program read it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memorycli.doctor import checks
from tests.support.fakes.api_server import HttpServer
from tests.support.laptops.doctor import current_server, healthy_laptop
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Laptop]:
    with healthy_laptop(tmp_path, monkeypatch, capsys) as laptop:
        yield laptop


@pytest.fixture
def server(memory: Laptop) -> Iterator[HttpServer]:
    with current_server() as server:
        yield server


def test_without_findings_the_checks_are_listed_as_ok(memory: Laptop, server: HttpServer) -> None:
    said = memory("doctor")

    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("ok     home folder, disk, ")
    assert " ".join(said.out.split()).removeprefix("ok ").split(", ") == list(checks.CHECKS)
    assert max(map(len, said.out.splitlines())) <= 80


def test_finding_is_shown_with_its_fix_before_the_passed_checks(memory: Laptop) -> None:
    memory("uninstall", "claude-code")

    said = memory("doctor", "--offline")

    assert said.status == 1
    assert said.out.startswith(
        "WRONG  hooks installed: Claude Code is installed, but has no hooks of\n"
        "       memoryserver\n       To fix: memory install claude-code\nok     "
    )


def test_json_has_every_check_and_its_findings(memory: Laptop, server: HttpServer) -> None:
    said = memory("doctor", "--json")
    assert (said.status, [item["check"] for item in said.json()["checks"]]) == (0, list(checks.CHECKS))
    server.token = "another"

    said = memory("doctor", "--json")

    assert (said.status, json.loads(said.out)["ok"]) == (1, False)
    [failed] = [item for item in json.loads(said.out)["checks"] if item["findings"]]
    assert (failed["check"], sorted(failed["findings"][0])) == ("token", ["fix", "what"])


def test_offline_makes_no_request(memory: Laptop, server: HttpServer) -> None:
    said = memory("doctor", "--offline", "--json")

    assert (said.json()["ok"], server.requests) == (True, [])
    assert "server" not in [item["check"] for item in said.json()["checks"]]
