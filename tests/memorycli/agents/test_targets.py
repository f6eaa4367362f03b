"""The files to edit, and the functions that edit them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memorycli.agents import claude_code, codex, targets

ARGV = ["/py/python", "-P", "-m", "memorycli", "mcp"]
ENTRIES = {"Stop": {"type": "command", "command": "memory hook", "timeout": 5}}
EVERY_SCOPE = [
    *((claude_code.NAME, scope) for scope in claude_code.SCOPES),
    *((codex.NAME, scope) for scope in codex.SCOPES),
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "user"


def test_every_scope_has_its_files(home: Path, tmp_path: Path) -> None:
    paths = [
        (targets.hooks_path(agent, scope, tmp_path), targets.server_target(agent, scope, tmp_path, ARGV).path)
        for agent, scope in EVERY_SCOPE
    ]

    assert paths == [
        (home / ".claude/settings.json", home / ".claude.json"),
        (tmp_path / ".claude/settings.json", tmp_path / ".mcp.json"),
        (tmp_path / ".claude/settings.local.json", home / ".claude.json"),
        (home / ".codex/hooks.json", home / ".codex/config.toml"),
        (tmp_path / ".codex/hooks.json", tmp_path / ".codex/config.toml"),
    ]


def test_every_scope_is_one_of_its_own_in_a_project(tmp_path: Path) -> None:
    scopes = [(agent, scope) for agent in ("claude-code", "codex") for scope in targets.scopes(agent, tmp_path)]

    assert scopes == EVERY_SCOPE


@pytest.mark.parametrize("linked", [False, True])
def test_project_settings_of_the_home_folder_are_those_of_the_user(linked: bool, home: Path, tmp_path: Path) -> None:
    home.mkdir()
    (tmp_path / "link").symlink_to(home)

    root = tmp_path / "link" if linked else home

    assert targets.scopes("claude-code", root) == ["user", "local"]
    assert targets.scopes("codex", root) == ["user"]
    assert targets.scopes("claude-code", home / ".claude") == ["user", "project", "local"]


def test_project_settings_in_the_folder_of_the_environment_are_those_of_the_user(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))

    assert targets.scopes("claude-code", tmp_path) == ["user", "local"]


@pytest.mark.parametrize(("agent", "scope"), EVERY_SCOPE)
def test_target_is_present_after_add_and_absent_after_remove(agent: str, scope: str, tmp_path: Path) -> None:
    for target in (
        targets.hooks_target(agent, scope, tmp_path, ENTRIES),
        targets.server_target(agent, scope, tmp_path, ARGV),
    ):
        assert not target.is_present(target.empty)
        after = target.add(target.empty)
        assert target.is_present(after)
        assert target.remove(after, target.containers(target.empty)) == target.empty


def test_hooks_of_another_version_are_not_present(tmp_path: Path) -> None:
    older = targets.hooks_target("codex", "user", tmp_path, {"Stop": ENTRIES["Stop"] | {"timeout": 9}})

    assert not targets.hooks_target("codex", "user", tmp_path, ENTRIES).is_present(older.add("{}"))


@pytest.mark.parametrize("agent", [claude_code.NAME, codex.NAME])
def test_server_of_a_project_is_found_on_path(agent: str, tmp_path: Path) -> None:
    target = targets.server_target(agent, "project", tmp_path, ARGV)

    text = target.add(target.empty)

    assert "/py/python" not in text
    assert '"memory"' in text


def test_records_name_the_project_except_in_the_scope_of_the_user(tmp_path: Path) -> None:
    roots = [targets.hooks_target(agent, scope, tmp_path, {}).record.root for agent, scope in EVERY_SCOPE]

    assert roots == ["", str(tmp_path), str(tmp_path), "", str(tmp_path)]


def test_local_server_is_below_the_key_of_its_project(tmp_path: Path) -> None:
    target = targets.server_target(claude_code.NAME, "local", tmp_path, ARGV)

    document = json.loads(target.add("{}"))

    assert list(document["projects"]) == [str(tmp_path)]
    assert target.containers(json.dumps(document)) == ["projects", str(tmp_path), "mcpServers"]
