"""Every example in the help does what it says."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from memorycli.arguments import examples
from memorycli.delivery import connection
from memorycli.parser import COMMANDS
from tests.support.fakes.api_server import HttpServer, serving
from tests.support.laptops.laptop import Laptop

# Commands that keep running, or that change the system's services; they are run by tests of their own.
NOT_RUN = ("memory capture install", "memory mcp", "claude mcp")


def lines_of(help_text: str) -> list[str]:
    """The examples in a help text, without their comments."""
    text = help_text.partition("examples:\n")[2].replace("\\\n", "")
    return [
        re.split(r"(?<=\S) {3,}(?=[a-z])| > ", line.strip())[0] for line in text.splitlines() if line.startswith("  ")
    ]


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    (tmp_path / "user" / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("BROWSER", "true %s")  # which shows nothing
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    memory = Laptop(tmp_path, monkeypatch, capsys)
    (memory.project / "token.txt").write_text("secret-token")
    return memory


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        connection.store(running.url, running.token)
        yield running


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "hook"])
def test_examples_of_the_command_are_understood_and_work(command: str, memory: Laptop, server: HttpServer) -> None:
    memory("session", "start")
    lines = lines_of(memory(command, "--help").out)
    assert lines != []
    for line in lines:
        if not line.startswith(NOT_RUN):
            words = shlex.split(line.replace("https://memory.example.org", server.url))
            result = memory(*words[1:], stdin=b"secret-token")
            known_to_fail = command in (
                "doctor",
                "forget",
                "open",
                "show",
                "status",
                "update",
                "search",
                "log",
                "context",
                "projects",
                "export",
                "import",
            )  # the stand-in does not know all of it, and something is wrong on a new laptop
            assert (result.status, line) == (0, line) or (known_to_fail and result.status == 1), result.err


def test_examples_of_the_overview_are_commands(memory: Laptop) -> None:
    lines = lines_of(memory("--help").out)

    assert {line.split()[1] for line in lines} <= set(COMMANDS)
    assert len(lines) == 6


def test_help_fits_a_terminal() -> None:
    texts = [examples.overview(), *(examples.of(name) for name in COMMANDS)]

    assert [line for text in texts for line in text.splitlines() if len(line) > 80] == []
