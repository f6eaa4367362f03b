"""Problems in the agents' settings, in real files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from memorycli.agents import handlers
from tests.support.laptops.doctor import findings, only_finding, settings_path
from tests.support.laptops.laptop import Laptop


def test_missing_hooks_are_found_and_fixed(memory: Laptop) -> None:
    memory("uninstall", "claude-code")
    what, fix = only_finding("hooks installed")
    assert what == "Claude Code is installed, but has no hooks of memoryserver"

    assert memory(*fix.split()[1:]).status == 0
    assert findings() == {}


def test_missing_event_is_found_and_fixed(memory: Laptop) -> None:
    document = json.loads(settings_path().read_text())
    del document["hooks"]["Stop"]
    settings_path().write_text(json.dumps(document))
    what, fix = only_finding("hooks installed")
    assert what.endswith("has no hooks for Stop")

    memory(*fix.split()[1:])
    assert findings() == {}


def test_duplicate_hook_is_found_and_fixed(memory: Laptop) -> None:
    document = json.loads(settings_path().read_text())
    document["hooks"]["Stop"] *= 2
    settings_path().write_text(json.dumps(document))
    what, fix = only_finding("no duplicate hooks")
    assert what.endswith("has two hooks of memoryserver for Stop")

    memory(*fix.split()[1:])
    assert findings() == {}


def test_hooks_in_two_scopes_are_found_and_fixed(memory: Laptop) -> None:
    memory("install", "claude-code", "--scope", "local")
    what, fix = only_finding("no duplicate hooks")
    assert "each event runs more than one" in what

    memory(*fix.split()[1:])
    assert findings() == {}


@pytest.mark.parametrize("folder", ["", "link"])
def test_hooks_count_once_in_the_home_folder(folder: str, memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    (Path.home() / "link").symlink_to(Path.home())
    monkeypatch.chdir(Path.home() / folder)
    document = json.loads(settings_path().read_text()) | {"disableAllHooks": True}
    settings_path().write_text(json.dumps(document))

    what, _ = only_finding("hooks enabled")

    assert what == f'{settings_path()} has "disableAllHooks": true: no hook runs'


def test_plugin_beside_the_settings_is_found(memory: Laptop) -> None:
    document = json.loads(settings_path().read_text()) | {
        "enabledPlugins": {"memoryserver@memoryserver": True, "x@y": True}
    }
    settings_path().write_text(json.dumps(document))

    what, _ = only_finding("no duplicate hooks")

    assert "in the plugin memoryserver@memoryserver; the plugin's do nothing" in what


def test_plugin_alone_is_ok(memory: Laptop) -> None:
    memory("uninstall", "claude-code")
    settings_path().write_text('{"enabledPlugins": {"memoryserver@memoryserver": true}}')

    assert findings() == {}


def test_plugin_disabled_in_the_project_does_not_count_as_hooks(memory: Laptop) -> None:
    memory("uninstall", "claude-code")
    settings_path().write_text('{"enabledPlugins": {"memoryserver@memoryserver": true}}')
    settings_path(".local").parent.mkdir()
    settings_path(".local").write_text('{"enabledPlugins": {"memoryserver@memoryserver": false}}')

    only_finding("hooks installed")


@pytest.mark.parametrize("exec_form", [True, False])
def test_missing_interpreter_is_found_and_fixed(exec_form: bool, memory: Laptop) -> None:
    document = json.loads(settings_path().read_text())
    make = handlers.exec_form if exec_form else handlers.shell_form
    for groups in document["hooks"].values():
        groups[-1]["hooks"] = [make(["/gone away/bin/python", *handlers.hook_argv()[1:]], 5)]
    settings_path().write_text(json.dumps(document))
    what, fix = only_finding("hooks can run")
    assert what == f"the hooks in {settings_path()} run /gone away/bin/python, which does not exist"

    memory(*fix.split()[1:])
    assert findings() == {}


def test_shared_hooks_without_the_program_are_found(memory: Laptop, tmp_path: Path, monkeypatch: Any) -> None:
    memory("uninstall", "claude-code")
    memory("install", "claude-code", "--scope", "project", "--no-mcp")
    what, _ = only_finding("hooks can run")
    assert "`memory`, which is not on PATH" in what

    (tmp_path / "memory").write_text("#!/bin/sh\n")
    (tmp_path / "memory").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert findings() == {}


@pytest.mark.parametrize("scope", ["", ".local"])
def test_disabled_hooks_are_found(scope: str, memory: Laptop) -> None:
    path = settings_path(scope)
    path.parent.mkdir(exist_ok=True)
    document = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(document | {"disableAllHooks": True}))

    what, _ = only_finding("hooks enabled")

    assert what.endswith('has "disableAllHooks": true: no hook runs')


@pytest.mark.parametrize("content", [b"{", b"\xef\xbb\xbf{}", b"\xff", b'{"a": 1} // x'])
def test_unreadable_settings_are_found(content: bytes, memory: Laptop) -> None:
    settings_path().write_bytes(content)

    what, fix = only_finding("agents' settings")

    assert what.startswith(str(settings_path()))
    assert str(settings_path()) in fix


def test_hooks_that_post_without_a_token_are_found(memory: Laptop, monkeypatch: Any) -> None:
    memory("install", "claude-code", "--mode", "http", "--url", "http://127.0.0.1:1")
    what, _ = only_finding("hooks have a token")
    assert "MEMORYSERVER_TOKEN is not set here" in what

    monkeypatch.setenv("MEMORYSERVER_TOKEN", "x")
    assert findings() == {}


def test_mcp_server_with_a_missing_interpreter_is_found_and_fixed(memory: Laptop) -> None:
    path = Path.home() / ".claude.json"
    path.write_text(path.read_text().replace(sys.executable, "/gone/python"))
    what, fix = only_finding("MCP server")
    assert "/gone/python, which does not exist" in what

    memory(*fix.split()[1:])
    assert findings() == {}


def test_codex_is_checked_too(memory: Laptop) -> None:
    (Path.home() / ".codex").mkdir()
    assert only_finding("hooks installed")[1] == "memory install codex"

    memory("install", "codex")
    assert findings() == {}
    (Path.home() / ".codex/config.toml").write_text("a = ")
    assert "is invalid TOML" in only_finding("MCP server")[0]


def test_laptop_without_an_agent_needs_no_hooks(memory: Laptop) -> None:
    memory("uninstall", "claude-code")
    (Path.home() / ".claude").rmdir()

    assert findings() == {}
