"""What can be wrong in the agents' settings, made wrong with real files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from memorycli.agents import handlers
from tests.memorycli.doctor.wrongs import only, settings_of, wrong
from tests.support.laptop import Laptop


def test_remedy_of_missing_hooks_mends_it(memory: Laptop) -> None:
    memory("uninstall", "claude-code")
    what, mend = only("hooks are there")
    assert what == "Claude Code is on this laptop, and has no hooks of memoryserver"

    assert memory(*mend.split()[1:]).status == 0
    assert wrong() == {}


def test_event_that_is_missing_is_named_and_mended(memory: Laptop) -> None:
    document = json.loads(settings_of().read_text())
    del document["hooks"]["Stop"]
    settings_of().write_text(json.dumps(document))
    what, mend = only("hooks are there")
    assert what.endswith("lacks the hooks of Stop")

    memory(*mend.split()[1:])
    assert wrong() == {}


def test_hook_that_is_there_twice_is_found_and_mended(memory: Laptop) -> None:
    document = json.loads(settings_of().read_text())
    document["hooks"]["Stop"] *= 2
    settings_of().write_text(json.dumps(document))
    what, mend = only("hooks are there once")
    assert what.endswith("has two hooks of memoryserver at Stop")

    memory(*mend.split()[1:])
    assert wrong() == {}


def test_hooks_in_two_scopes_are_found_and_mended(memory: Laptop) -> None:
    memory("install", "claude-code", "--scope", "local")
    what, mend = only("hooks are there once")
    assert "each event is told more than once" in what

    memory(*mend.split()[1:])
    assert wrong() == {}


def test_plugin_beside_the_settings_is_found(memory: Laptop) -> None:
    document = json.loads(settings_of().read_text()) | {
        "enabledPlugins": {"memoryserver@memoryserver": True, "x@y": True}
    }
    settings_of().write_text(json.dumps(document))

    what, _ = only("hooks are there once")

    assert "in the plugin memoryserver@memoryserver; the plugin gives way" in what


def test_plugin_alone_is_well(memory: Laptop) -> None:
    memory("uninstall", "claude-code")
    settings_of().write_text('{"enabledPlugins": {"memoryserver@memoryserver": true}}')

    assert wrong() == {}


def test_plugin_that_is_switched_off_in_the_project_is_none(memory: Laptop) -> None:
    memory("uninstall", "claude-code")
    settings_of().write_text('{"enabledPlugins": {"memoryserver@memoryserver": true}}')
    settings_of(".local").parent.mkdir()
    settings_of(".local").write_text('{"enabledPlugins": {"memoryserver@memoryserver": false}}')

    only("hooks are there")


@pytest.mark.parametrize("exec_form", [True, False])
def test_interpreter_that_is_gone_is_found(exec_form: bool, memory: Laptop) -> None:
    document = json.loads(settings_of().read_text())
    make = handlers.exec_form if exec_form else handlers.shell_form
    for groups in document["hooks"].values():
        groups[-1]["hooks"] = [make(["/gone away/bin/python", *handlers.hook_argv()[1:]], 5)]
    settings_of().write_text(json.dumps(document))
    what, mend = only("hooks can run")
    assert what == f"the hooks in {settings_of()} run /gone away/bin/python, which is not there"

    memory(*mend.split()[1:])
    assert wrong() == {}


def test_shared_hooks_without_the_program_are_found(memory: Laptop, tmp_path: Path, monkeypatch: Any) -> None:
    memory("uninstall", "claude-code")
    memory("install", "claude-code", "--scope", "project", "--no-mcp")
    what, _ = only("hooks can run")
    assert "`memory`, which is not on the search path" in what

    (tmp_path / "memory").write_text("#!/bin/sh\n")
    (tmp_path / "memory").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert wrong() == {}


@pytest.mark.parametrize("scope", ["", ".local"])
def test_switch_that_disables_all_hooks_is_found(scope: str, memory: Laptop) -> None:
    path = settings_of(scope)
    path.parent.mkdir(exist_ok=True)
    document = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(document | {"disableAllHooks": True}))

    what, _ = only("hooks are allowed")

    assert what.endswith('has "disableAllHooks": true: no hook runs')


@pytest.mark.parametrize("content", [b"{", b"\xef\xbb\xbf{}", b"\xff", b'{"a": 1} // x'])
def test_settings_that_the_agent_cannot_read_are_found(content: bytes, memory: Laptop) -> None:
    settings_of().write_bytes(content)

    what, mend = only("agents' settings")

    assert what.startswith(str(settings_of()))
    assert str(settings_of()) in mend


def test_hooks_that_post_without_a_token_are_found(memory: Laptop, monkeypatch: Any) -> None:
    memory("install", "claude-code", "--mode", "http", "--url", "http://127.0.0.1:1")
    what, _ = only("hooks have a token")
    assert "MEMORYSERVER_TOKEN is not set here" in what

    monkeypatch.setenv("MEMORYSERVER_TOKEN", "x")
    assert wrong() == {}


def test_mcp_server_whose_interpreter_is_gone_is_found(memory: Laptop) -> None:
    path = Path.home() / ".claude.json"
    path.write_text(path.read_text().replace(sys.executable, "/gone/python"))
    what, mend = only("MCP server")
    assert "/gone/python, which is not there" in what

    memory(*mend.split()[1:])
    assert wrong() == {}


def test_codex_is_looked_at_too(memory: Laptop) -> None:
    (Path.home() / ".codex").mkdir()
    assert only("hooks are there")[1] == "memory install codex"

    memory("install", "codex")
    assert wrong() == {}
    (Path.home() / ".codex/config.toml").write_text("a = ")
    assert "is no TOML" in only("MCP server")[0]


def test_laptop_without_an_agent_is_not_asked_for_hooks(memory: Laptop) -> None:
    memory("uninstall", "claude-code")
    (Path.home() / ".claude").rmdir()

    assert wrong() == {}
