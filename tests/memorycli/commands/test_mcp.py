"""The options of `memory mcp`, and its message without the SDK. The transports have tests of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycli.commands.mcp import MISSING
from tests.support.laptops.laptop import Laptop


def test_without_the_sdk_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = Laptop(tmp_path, monkeypatch, capsys)

    said = memory.process("mcp", program="import sys; sys.modules['mcp'] = None")

    assert (said.status, said.out) == (1, "")
    assert said.err == f"memory: {MISSING}\n"
    assert 'pip install "memorycli[mcp]" (or "memoryserver[mcp]" beside the server)' in MISSING


@pytest.mark.parametrize("words", [["--server", "http://127.0.0.1:8000"], ["--allow-host", "x"]])
def test_options_of_http_need_http(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = Laptop(tmp_path, monkeypatch, capsys)("mcp", *words)

    assert (said.status, said.out, said.err) == (2, "", "memory: --server and --allow-host need --http\n")


def test_help_fits_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    said = Laptop(tmp_path, monkeypatch, capsys)("mcp", "--help")

    assert [line for line in said.out.splitlines() if len(line) > 80] == []
