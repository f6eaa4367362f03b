"""Codex' settings files and hook events, and `memory install codex` on them."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from memorycli.agents import codex, handlers
from tests.support.agents.agent_settings import isolated_laptop
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    return isolated_laptop(tmp_path, monkeypatch, capsys)


def test_entries_have_only_keys_that_codex_accepts(memory: Laptop) -> None:
    memory("install", "codex")

    written = json.loads((Path.home() / ".codex/hooks.json").read_text())
    assert list(written) == ["hooks"]
    assert sorted(written["hooks"]) == sorted(codex.TIMEOUTS)
    for groups in written["hooks"].values():
        assert list(groups[0]["hooks"][0]) == ["type", "command", "timeout"]
    config = tomllib.loads((Path.home() / ".codex/config.toml").read_text())
    assert config["mcp_servers"]["memoryserver"]["command"] == sys.executable


@pytest.mark.parametrize(
    "text",
    [
        "",
        'model = "o"\n',
        'model = "o"',
        "# mine\r\n[mcp_servers.other]\r\ncommand = 'x'\r\n",
        "[a]\nb = '''\nc\n'''\n",
    ],
)
def test_settings_are_restored_to_the_byte(text: str, memory: Laptop) -> None:
    path = Path.home() / ".codex/config.toml"
    path.parent.mkdir()
    path.write_bytes(text.encode())

    memory("install", "codex")
    assert tomllib.loads(path.read_text())["mcp_servers"]["memoryserver"]["args"][-1] == "mcp"
    with path.open("ab") as file:  # the agent adds something later
        file.write(b"\n[later]\nx = 1\n")
    memory("uninstall", "codex")

    assert tomllib.loads(path.read_text()) == tomllib.loads(text) | {"later": {"x": 1}}
    assert path.read_bytes().startswith(text.encode())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = ", "is invalid TOML"),
        ("\ufeffa = 1", "byte order mark"),
        ("[mcp_servers.memoryserver]\ncommand = 'mine'\n", "that this command did not add"),
        ("mcp_servers = {}\n", "is invalid TOML"),
    ],
)
def test_settings_that_cannot_be_edited_are_left_alone(text: str, message: str, memory: Laptop) -> None:
    path = Path.home() / ".codex/config.toml"
    path.parent.mkdir()
    path.write_text(text)

    said = memory("install", "codex")

    assert (said.status, path.read_text(), message in said.err) == (1, text, True)
    assert not (Path.home() / ".codex/hooks.json").exists()


def test_other_settings_inside_the_block_are_not_removed(memory: Laptop) -> None:
    memory("install", "codex")
    path = Path.home() / ".codex/config.toml"
    text = path.read_text().replace("# <<<", "[mine]\nx = 1\n# <<<")
    path.write_text(text)

    said = memory("uninstall", "codex")

    assert (said.status, path.read_text()) == (1, text)
    assert "has other settings inside the block" in said.err


def test_files_of_a_scope_are_in_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "c"))

    assert codex.folder("user", tmp_path / "p") == tmp_path / "c"
    assert codex.folder("project", tmp_path / "p") == tmp_path / "p/.codex"


def test_every_event_has_one_entry_of_ours() -> None:
    for scope in codex.SCOPES:
        entries = codex.hook_entries(scope)
        assert {event: entry["timeout"] for event, entry in entries.items()} == codex.TIMEOUTS
        assert all(map(handlers.is_ours, entries.values()))
    assert codex.hook_entries("project")["Stop"]["command"] == handlers.SHARED_COMMAND


def test_installed_is_found_by_its_folder_or_its_program(
    memory: Laptop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not codex.is_installed()
    (tmp_path / "codex").write_text("#!/bin/sh\n")
    (tmp_path / "codex").chmod(0o755)
    assert codex.is_installed()
    (tmp_path / "codex").unlink()
    (Path.home() / ".codex").mkdir()
    assert codex.is_installed()
