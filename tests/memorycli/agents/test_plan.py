"""The steps of an install and an uninstall, planned and applied."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memorycli.agents import installed, plan, settings_file
from memorycli.agents.settings_file import SettingsError

ENTRIES = {"Stop": {"type": "command", "command": "memory hook", "timeout": 5}}
SERVER = ["/py/python", "-m", "memorycli", "mcp"]


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home folder."""
    user = tmp_path / "user"
    (user / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return user


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


def test_steps_name_each_file_and_change_nothing(user: Path, root: Path, tmp_path: Path) -> None:
    steps = plan.install("claude-code", "user", root, ENTRIES, SERVER)

    assert [(step.title, step.change.path) for step in steps] == [
        ("hooks", user / ".claude/settings.json"),
        ("MCP server", user / ".claude.json"),
    ]
    assert not (user / ".claude/settings.json").exists()
    assert not (tmp_path / "home").exists()


def test_without_a_server_only_the_hooks_are_planned(root: Path) -> None:
    assert [step.title for step in plan.install("claude-code", "user", root, ENTRIES, None)] == ["hooks"]


def test_applied_install_has_no_further_steps(root: Path) -> None:
    plan.apply(plan.install("claude-code", "user", root, ENTRIES, SERVER))

    assert plan.install("claude-code", "user", root, ENTRIES, SERVER) == []


def test_apply_returns_a_backup_of_each_existing_file(user: Path, root: Path) -> None:
    (user / ".claude/settings.json").write_text('{"a": 1}')

    [backup] = plan.apply(plan.install("claude-code", "user", root, ENTRIES, SERVER))

    assert backup.read_text() == '{"a": 1}'


def test_uninstall_removes_the_newest_first(user: Path, root: Path) -> None:
    plan.apply(plan.install("claude-code", "user", root, ENTRIES, SERVER))
    plan.apply(plan.install("claude-code", "local", root, ENTRIES, SERVER))

    steps = plan.uninstall("claude-code", ["user", "local"], root)

    assert [(step.record.scope, step.title) for step in steps] == [
        ("local", "MCP server"),
        ("local", "hooks"),
        ("user", "MCP server"),
        ("user", "hooks"),
    ]
    plan.apply(steps)
    assert installed.records("claude-code") == []
    assert [path for path in user.rglob("*") if path.is_file()] == []
    assert list(root.iterdir()) == []


def test_uninstall_without_entries_has_no_steps(user: Path, root: Path) -> None:
    (user / ".claude/settings.json").write_text('{"hooks": {}}')

    assert plan.uninstall("claude-code", ["user", "project", "local"], root) == []


def test_folder_with_other_files_is_kept(root: Path) -> None:
    (root / ".claude").mkdir()
    (root / ".claude/notes.md").write_text("mine")
    plan.apply(plan.install("claude-code", "project", root, ENTRIES, None))
    plan.apply(plan.uninstall("claude-code", ["project"], root))

    assert [path.name for path in (root / ".claude").iterdir()] == ["notes.md"]


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": 1}'])
def test_file_that_cannot_be_edited_is_named(text: str, user: Path, root: Path) -> None:
    path = user / ".claude/settings.json"
    path.write_text(text)

    with pytest.raises(SettingsError) as caught:
        plan.install("claude-code", "user", root, ENTRIES, SERVER)

    assert str(caught.value).startswith(f"{path} ")
    assert str(caught.value).endswith("; nothing was changed")


def test_file_changed_since_the_plan_is_not_overwritten(user: Path, root: Path) -> None:
    steps = plan.install("claude-code", "user", root, ENTRIES, None)
    (user / ".claude/settings.json").write_text("{}")

    with pytest.raises(SettingsError, match="changed by another program"):
        plan.apply(steps)

    assert (user / ".claude/settings.json").read_text() == "{}"
    assert installed.records("claude-code") == []


@pytest.mark.parametrize("text", [None, "", "\n", "{}", json.dumps({"hooks": {"Stop": [{"hooks": [{}]}]}})])
def test_file_without_our_hooks_has_none(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    if text is not None:
        path.write_text(text)

    assert plan.own_hooks(path) == []


def test_own_hooks_are_those_that_were_added(user: Path, root: Path) -> None:
    plan.apply(plan.install("claude-code", "user", root, ENTRIES, None))

    assert [entry.handler for entry in plan.own_hooks(user / ".claude/settings.json")] == [ENTRIES["Stop"]]


def test_own_hooks_of_a_damaged_file_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{")

    with pytest.raises(SettingsError, match="is invalid JSON"):
        plan.own_hooks(path)


def test_server_argv_is_known_with_its_package() -> None:
    argv = plan.server_argv()

    assert argv is not None
    assert argv[1:] == ["-P", "-m", "memorycli", "mcp"]


def test_apply_holds_a_lock_against_other_installs(root: Path, tmp_path: Path) -> None:
    plan.apply(plan.install("claude-code", "user", root, ENTRIES, None))

    assert (tmp_path / "home/.install.lock").exists()
    assert settings_file.backups_of(tmp_path / "home/.install.lock") == []
