"""`memory uninstall` on real settings files of a home folder of the test's own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memorycli.agents import claude_code
from memorycli.delivery import connection
from tests.support.agents.agent_settings import STYLES, claude_settings, events_of, isolated_laptop, tree
from tests.support.fakes.api_server import serving
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    return isolated_laptop(tmp_path, monkeypatch, capsys)


@pytest.fixture
def settings(memory: Laptop) -> Path:
    return claude_settings()


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_every_file_is_restored_to_the_byte(text: str, memory: Laptop, settings: Path) -> None:
    settings.write_bytes(text.encode())
    (Path.home() / ".claude.json").write_bytes(text.encode())
    before = tree(Path.home())

    assert memory("install", "claude-code").status == 0
    assert events_of(settings) == sorted(claude_code.TIMEOUTS)
    assert memory("uninstall", "claude-code").status == 0

    assert tree(Path.home()) == before


def test_created_files_and_folders_are_removed(memory: Laptop) -> None:
    memory("install", "claude-code")
    memory("install", "claude-code", "--scope", "project")
    memory("install", "claude-code", "--scope", "local")
    memory("install", "codex")
    memory("install", "codex", "--scope", "project")
    assert (memory.project / ".claude/settings.local.json").exists()

    memory("uninstall", "claude-code")
    memory("uninstall", "codex")

    assert (tree(Path.home()), tree(memory.project)) == ({}, {})
    assert sorted(os.listdir(memory.project)) == [".git"]


def test_changes_by_a_person_after_the_install_stay(memory: Laptop, settings: Path) -> None:
    settings.write_text(STYLES["two blanks"])
    memory("install", "claude-code")
    text = settings.read_text().replace('"model": "opus"', '"model":   "sonnet" ')
    settings.write_text(text)

    memory("uninstall", "claude-code")

    assert settings.read_text() == STYLES["two blanks"].replace('"model": "opus"', '"model":   "sonnet" ')


def test_file_is_restored_to_the_byte_after_an_update(memory: Laptop, settings: Path) -> None:
    settings.write_text(STYLES["tabs"])
    memory("install", "claude-code")
    memory("install", "claude-code", "--mode", "http", "--url", "http://127.0.0.1:1")
    memory("uninstall", "claude-code")

    assert settings.read_text() == STYLES["tabs"]


@pytest.mark.parametrize("scope", ["local", "project"])
def test_entries_of_other_projects_stay_and_are_named_unless_all_are_meant(
    scope: str, memory: Laptop, tmp_path: Path, monkeypatch
) -> None:
    memory("install", "claude-code", "--scope", scope)
    installed = tree(memory.project)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)

    said = memory("uninstall", "claude-code")

    assert said.out.splitlines() == [
        "the settings of Claude Code have no entries of memoryserver",
        f"still installed in {memory.project}; remove it there too with --all-projects",
    ]
    assert tree(memory.project) == installed
    memory("uninstall", "claude-code", "--all-projects")
    assert tree(memory.project) == {}


def test_servers_of_two_projects_in_one_file_are_both_removed(memory: Laptop, tmp_path: Path, monkeypatch) -> None:
    memory("install", "claude-code", "--scope", "local")
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    memory("install", "claude-code", "--scope", "local")

    memory("uninstall", "claude-code")
    assert list(json.loads((Path.home() / ".claude.json").read_text())["projects"]) == [str(memory.project)]
    memory("uninstall", "claude-code", "--all-projects")
    assert (tree(memory.project), tree(other), (Path.home() / ".claude.json").exists()) == ({}, {}, False)


def test_settings_are_restored_to_the_byte_from_the_home_folder(memory: Laptop, monkeypatch) -> None:
    settings = Path.home() / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"hooks": {}}\n')
    monkeypatch.chdir(Path.home())
    memory("install", "claude-code")

    memory("uninstall", "claude-code")

    assert settings.read_text() == '{"hooks": {}}\n'


def test_server_of_codex_is_removed_to_the_byte_from_the_home_folder(memory: Laptop, monkeypatch) -> None:
    config = Path.home() / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text('model = "x"')
    monkeypatch.chdir(Path.home())
    memory("install", "codex")

    memory("uninstall", "codex")

    assert config.read_text() == 'model = "x"'
    assert json.loads((memory.home / "installed.json").read_text()) == {"files": []}


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_scope_of_the_project_is_refused_in_the_home_folder(
    command: str, memory: Laptop, settings: Path, monkeypatch
) -> None:
    memory("install", "claude-code")
    before = tree(Path.home())
    monkeypatch.chdir(Path.home())

    said = memory(command, "claude-code", "--scope", "project")

    assert (said.status, said.out, tree(Path.home())) == (2, "", before)
    assert said.err.startswith(f"memory: {settings} has your own settings of Claude Code, for all projects")


def test_hooks_are_put_into_the_first_of_several_config_folders(
    memory: Laptop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{tmp_path}/a, {tmp_path}/b")
    memory("install", "claude-code")
    assert sorted(path.name for path in tmp_path.iterdir() if "," in path.name or path.name in "ab") == ["a"]
    memory("uninstall", "claude-code")
    assert not (tmp_path / "a/settings.json").exists()


def test_entries_of_other_scopes_stay_with_scope(memory: Laptop) -> None:
    memory("install", "claude-code")
    memory("install", "claude-code", "--scope", "local")
    memory("uninstall", "claude-code", "--scope", "user")

    assert not (Path.home() / ".claude/settings.json").exists()
    assert events_of(memory.project / ".claude/settings.local.json") == sorted(claude_code.TIMEOUTS)
    assert list(json.loads((Path.home() / ".claude.json").read_text())) == ["projects"]


def test_entries_are_found_without_the_list_of_installs(memory: Laptop, settings: Path) -> None:
    settings.write_text(STYLES["two blanks"])
    memory("install", "claude-code")
    (memory.home / "installed.json").write_text("{damaged")

    memory("uninstall", "claude-code")

    assert settings.read_text() == STYLES["two blanks"]


def test_without_entries_a_message_says_so(memory: Laptop) -> None:
    said = memory("uninstall", "claude-code")

    assert (said.status, said.out) == (0, "the settings of Claude Code have no entries of memoryserver\n")


def test_dry_run_shows_a_diff_and_changes_nothing(memory: Laptop, settings: Path) -> None:
    settings.write_text(STYLES["tabs"])
    memory("install", "claude-code")
    before = tree(Path.home())

    said = memory("uninstall", "claude-code", "--dry-run")

    assert (said.status, tree(Path.home())) == (0, before)
    assert f"--- {settings}\n+++ {settings}\n@@ " in said.out
    memory("uninstall", "claude-code")
    assert memory("uninstall", "claude-code", "--dry-run").out == "nothing to change for Claude Code\n"


def test_each_removal_and_its_backup_are_named(memory: Laptop, settings: Path) -> None:
    memory("install", "claude-code")

    lines = memory("uninstall", "claude-code").out.splitlines()

    deleted = "and deleted the file, which was empty then"
    assert lines[:2] == [
        f"removed MCP server from {Path.home() / '.claude.json'} {deleted}",
        f"removed hooks from {settings} {deleted}",
    ]
    assert [line.partition(": ")[0] for line in lines[2:]] == ["  backup", "  backup"]


def test_damaged_file_is_an_error_and_no_file_is_changed(memory: Laptop, settings: Path) -> None:
    memory("install", "claude-code")
    settings.write_text("{")
    before = tree(Path.home())

    said = memory("uninstall", "claude-code")

    assert (said.status, said.out, tree(Path.home())) == (1, "", before)
    assert said.err.startswith(f"memory: {settings} is invalid JSON")


def test_everything_is_undone_in_all_projects_and_logged_out(memory: Laptop) -> None:
    memory("install", "claude-code")
    memory("install", "codex", "--scope", "project")
    with serving() as server:
        server.answer = lambda method, *_: (204, b"") if method == "DELETE" else (404, {})
        connection.store(server.url, server.token)
        said = memory("uninstall", "--all")

        assert server.requests == [("DELETE", "/api/v1/tokens/current", f"Bearer {server.token}")]

    assert (said.status, said.err) == (0, "")
    assert f"logged out of {server.url}" in said.out
    assert said.out.splitlines()[-2:] == [
        "to remove the command itself: pip uninstall memorycli (or memoryserver, beside the server)",
        f"Recorded data is kept in {memory.home}",
    ]
    assert (tree(Path.home()), tree(memory.project), connection.stored()) == ({}, {}, ("", ""))


def test_everything_without_the_server_forgets_the_token_and_says_so(memory: Laptop) -> None:
    connection.store("http://127.0.0.1:1", "t")
    said = memory("uninstall", "--all")

    assert (said.status, connection.stored()) == (0, ("", ""))
    assert "the token stays valid until it is revoked on http://127.0.0.1:1" in said.out


def test_everything_as_a_dry_run_changes_nothing(memory: Laptop) -> None:
    memory("install", "claude-code")
    connection.store("http://127.0.0.1:1", "t")
    before = tree(Path.home())
    said = memory("uninstall", "--all", "--dry-run")

    assert (said.status, tree(Path.home()), connection.stored()[1]) == (0, before, "t")
    assert [line for line in said.out.splitlines() if line.startswith(("would", "to remove", "nothing"))] == [
        f"would remove MCP server from {Path.home() / '.claude.json'} and delete the file, which is empty then:",
        f"would remove hooks from {Path.home() / '.claude/settings.json'} and delete the file, which is empty then:",
        "nothing to change for Codex",
        f"would revoke the token on http://127.0.0.1:1 and remove {memory.home / 'credentials.json'}",
        "to remove the command itself: pip uninstall memorycli (or memoryserver, beside the server)",
        f"would keep what was recorded in {memory.home}",
    ]


@pytest.mark.parametrize("words", [[], ["codex", "--all"], ["--all", "--scope", "user"]], ids=" ".join)
def test_agent_or_everything_is_named(words: list[str], memory: Laptop) -> None:
    said = memory("uninstall", *words)

    assert said.status == 2
    assert said.err.splitlines()[-1].endswith("name an agent, or --all for everything that was installed")
