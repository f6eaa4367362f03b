"""The plugin for Claude Code: its manifests, and that its hooks do nothing if the settings have hooks too."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memorycli.agents import claude_code, handlers, hooks, servers
from memorycli.hook import plugin
from memoryserver import __version__
from tests.support.laptops.laptop import Laptop

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "deploy/claude-code-plugin"


def manifest(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_marketplace_lists_the_plugin_with_its_manifests_values() -> None:
    market = manifest(ROOT / "deploy/.claude-plugin/marketplace.json")
    about = manifest(PLUGIN / ".claude-plugin/plugin.json")

    assert sorted(market) == ["metadata", "name", "owner", "plugins"]
    [listed] = market["plugins"]
    assert (ROOT / "deploy" / listed["source"]).resolve() == PLUGIN
    assert {key: listed[key] for key in ("name", "version", "description")} == {
        key: about[key] for key in ("name", "version", "description")
    }


def test_manifest_has_the_packages_version_and_no_default_paths() -> None:
    about = manifest(PLUGIN / ".claude-plugin/plugin.json")

    assert about["version"] == __version__
    assert re.fullmatch(r"[a-z0-9-]+", about["name"])
    # `hooks/hooks.json` and `.mcp.json` are loaded by default; if the manifest named them, they would be loaded twice.
    assert {"hooks", "mcpServers"}.isdisjoint(about)


def test_hooks_are_those_of_the_settings_with_the_plugins_flag() -> None:
    document = manifest(PLUGIN / "hooks/hooks.json")

    assert sorted(document) == ["description", "hooks"]
    command = handlers.SHARED_COMMAND.replace("memory hook", f"memory hook {plugin.FLAG}")
    wanted = {
        event: {"type": "command", "command": command, "timeout": timeout}
        for event, timeout in claude_code.TIMEOUTS.items()
    }
    assert hooks.has_exactly(document, wanted)


def test_registered_server_is_ours() -> None:
    registered = manifest(PLUGIN / ".mcp.json")[servers.SERVERS]

    assert [servers.is_ours(server) for server in registered.values()] == [True]


@pytest.mark.parametrize("skill", ["journal", "learnings"])
def test_description_of_a_skill_begins_with_its_use(skill: str) -> None:
    text = (PLUGIN / "skills" / skill / "SKILL.md").read_text("utf-8")

    head = re.match(r"---\nname: ([a-z-]+)\ndescription: (.+)\n---\n", text)
    assert head is not None
    assert (head[1], head[2].startswith("Use when "), len(head[2]) < 1024) == (skill, True, True)


def test_commands_of_the_skill_work(tmp_path, monkeypatch, capsys) -> None:
    """Every command but the search, which needs a server."""
    import shlex

    memory = Laptop(tmp_path, monkeypatch, capsys)
    text = (PLUGIN / "skills/journal/SKILL.md").read_text("utf-8").replace("\\\n", " ")
    commands = re.findall(r"(?m)^    (memory ghap .*)$", text)
    assert len(commands) == 5
    for number, line in enumerate(commands):
        if number == 4:
            memory(*shlex.split(commands[0])[1:])
        said = memory(*shlex.split(line, comments=True)[1:])
        assert (said.status, said.err) == (0, ""), line


def test_learnings_of_the_skill_are_good_ones(tmp_path, monkeypatch, capsys) -> None:
    import shlex

    memory = Laptop(tmp_path, monkeypatch, capsys)
    commands = re.findall(r"(?m)^    (memory learn .*)$", (PLUGIN / "skills/learnings/SKILL.md").read_text("utf-8"))
    assert len(commands) == 2
    for line in commands:
        said = memory(*shlex.split(line)[1:])
        assert (said.status, said.err) == (0, ""), line


# Beside the settings


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    """A laptop with `memory` on its path."""
    user, programs = tmp_path / "user ü", tmp_path / "bin"
    (user / ".claude").mkdir(parents=True)
    programs.mkdir()
    (programs / "memory").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memorycli "$@"\n')
    (programs / "memory").chmod(0o755)
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    memory = Laptop(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(memory.project))
    return memory


def run_hook(handler: dict[str, Any], event: dict[str, Any]) -> bytes:
    """Run an entry as the agent does and return its output."""
    words = [handler["command"], *handler["args"]] if "args" in handler else ["sh", "-c", handler["command"]]
    process = subprocess.run(words, input=json.dumps(event).encode(), capture_output=True, check=True)
    assert process.stderr == b""
    return process.stdout


def call(memory: Laptop, number: int) -> dict[str, Any]:
    """A tool call without an id, so that a second one is not recognised as the same."""
    return {
        "session_id": "s", "cwd": str(memory.project), "hook_event_name": "PostToolUse", "tool_name": "Read",
        "tool_input": {"n": number}, "tool_response": {"x": 1},
    }  # fmt: skip


def hook_entry(event: str, *, of: Path) -> dict[str, Any]:
    entry: dict[str, Any] = manifest(of)["hooks"][event][-1]["hooks"][0]
    return entry


def recorded_calls(memory: Laptop) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in memory.home.glob("trajectory/*/calls.jsonl"))


def test_plugin_alone_records_each_event(memory: Laptop) -> None:
    entry = hook_entry("PostToolUse", of=PLUGIN / "hooks/hooks.json")
    for number in range(3):
        run_hook(entry, call(memory, number))

    assert recorded_calls(memory) == 3


@pytest.mark.parametrize("scope", ["user", "project", "local"])
def test_plugin_and_settings_record_each_event_once(scope: str, memory: Laptop) -> None:
    memory("install", "claude-code", "--scope", scope)
    settings = claude_code.settings_path(scope, memory.project)
    for number in range(2):
        for path in (PLUGIN / "hooks/hooks.json", settings):
            run_hook(hook_entry("PostToolUse", of=path), call(memory, number))

    assert recorded_calls(memory) == 2


def test_plugin_records_again_without_hooks_in_the_settings(memory: Laptop) -> None:
    memory("install", "claude-code")
    memory("uninstall", "claude-code")

    run_hook(hook_entry("PostToolUse", of=PLUGIN / "hooks/hooks.json"), call(memory, 1))

    assert recorded_calls(memory) == 1


@pytest.mark.parametrize(
    "settings",
    [
        "",
        "{",
        "[]",
        '{"hooks": 1}',
        '{"permissions": {"allow": ["Bash(python -m memorycli:*)"]}, "hooks": {}}',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "other"}]}]}}',
    ],
)
def test_settings_without_our_hook_do_not_silence_the_plugin(settings: str, memory: Laptop) -> None:
    (Path.home() / ".claude/settings.json").write_text(settings)

    assert not plugin.settings_have_hook()


@pytest.mark.parametrize("mode", [[], ["--mode", "http", "--url", "http://127.0.0.1:1"]])
def test_installed_hooks_of_every_form_are_recognised(mode: list[str], memory: Laptop, monkeypatch: Any) -> None:
    memory("install", "claude-code", *mode)
    assert plugin.settings_have_hook()

    monkeypatch.setenv("CLAUDE_CONFIG_DIR", os.devnull)
    assert not plugin.settings_have_hook()


@pytest.mark.parametrize(
    "handler",
    [
        {"command": "memory hook"},
        {"command": "memory", "args": ["hook"]},
        {"command": "/x/python -m memorycli hook"},
        handlers.exec_form(handlers.hook_argv(), 5),
        {"command": handlers.SHARED_COMMAND},
    ],
)
def test_hooks_added_by_hand_are_recognised(handler: dict[str, Any], memory: Laptop) -> None:
    document = {"hooks": {"Stop": [{"hooks": [{"type": "command", **handler}]}]}}
    (Path.home() / ".claude/settings.json").write_text(json.dumps(document))

    assert plugin.settings_have_hook()
