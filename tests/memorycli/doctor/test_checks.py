"""`memory doctor` as a person and a program read it."""

from __future__ import annotations

import json
from pathlib import Path

from memorycli.doctor import checks
from tests.support.api_server import HttpServer
from tests.support.laptop import Laptop


def test_laptop_that_is_well_is_told_so(memory: Laptop, server: HttpServer) -> None:
    said = memory("doctor")

    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("well   home folder, disk, ")
    assert max(map(len, said.out.splitlines())) <= 80


def test_json_says_the_same(memory: Laptop, server: HttpServer) -> None:
    said = memory("doctor", "--json")
    assert (said.status, [one["check"] for one in said.json()["checks"]]) == (0, list(checks.CHECKS))
    server.token = "another"

    said = memory("doctor", "--json")

    assert (said.status, json.loads(said.out)["ok"]) == (1, False)
    [found] = [one for one in json.loads(said.out)["checks"] if one["findings"]]
    assert (found["check"], sorted(found["findings"][0])) == ("token", ["mend", "what"])


def test_what_is_wrong_is_said_with_its_remedy(memory: Laptop) -> None:
    memory("uninstall", "claude-code")

    said = memory("doctor", "--offline")

    assert said.status == 1
    assert said.out.startswith(
        "WRONG  hooks are there: Claude Code is on this laptop, and has no hooks of\n"
        "       memoryserver\n       -> memory install claude-code\nwell   "
    )


def test_every_check_has_been_shown_to_find_something() -> None:
    """A check without a test above is one that nobody has seen work."""
    source = "".join(path.read_text() for path in Path(__file__).parent.glob("*.py"))

    assert [name for name in checks.CHECKS if f'"{name}"' not in source] == []
