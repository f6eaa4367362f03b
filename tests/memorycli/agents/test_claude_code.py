"""Claude Code's settings files, hook events and versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycli.agents import claude_code, handlers


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home folder, with nothing on PATH."""
    home = tmp_path / "user"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return home


@pytest.mark.parametrize(
    ("version", "windows", "expected"),
    [
        ((2, 1, 139), False, True),
        ((2, 1, 138), False, False),
        ((2, 1, 138), True, False),
        ((3, 0, 0), False, True),
        (None, False, False),
        (None, True, True),
    ],
)
def test_exec_form_is_used_for_versions_that_support_it(
    version: tuple[int, ...] | None, windows: bool, expected: bool
) -> None:
    assert claude_code.supports_exec_form(version, windows=windows) is expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [("echo '2.1.214 (Claude Code)'", (2, 1, 214)), ("echo nothing", None), ("exit 3", None), ("printf '\\377'", None)],
)
def test_version_is_read_from_the_program(script: str, expected: tuple[int, ...] | None, tmp_path: Path) -> None:
    (tmp_path / "claude").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "claude").chmod(0o755)

    assert claude_code.version() == expected


def test_version_is_unknown_without_the_program() -> None:
    assert claude_code.version() is None


def test_settings_of_each_scope_have_a_file_of_their_own(home: Path, tmp_path: Path) -> None:
    assert [claude_code.settings_path(scope, tmp_path) for scope in claude_code.SCOPES] == [
        home / ".claude/settings.json",
        tmp_path / ".claude/settings.json",
        tmp_path / ".claude/settings.local.json",
    ]


def test_servers_of_each_scope_have_a_file_and_keys(home: Path, tmp_path: Path) -> None:
    assert [claude_code.servers_path(scope, tmp_path) for scope in claude_code.SCOPES] == [
        (home / ".claude.json", ()),
        (tmp_path / ".mcp.json", ()),
        (home / ".claude.json", ("projects", str(tmp_path))),
    ]


def test_config_folder_of_the_environment_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "other"))

    assert claude_code.config_folder() == tmp_path / "other"
    assert claude_code.settings_path("user", tmp_path) == tmp_path / "other/settings.json"
    assert claude_code.servers_path("user", tmp_path) == (tmp_path / "other/.claude.json", ())


def test_config_folder_below_the_tilde_is_expanded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "~/x")

    assert claude_code.config_folder() == home / "x"


@pytest.mark.parametrize("exec_form", [True, False])
def test_every_event_has_one_entry_of_ours(exec_form: bool) -> None:
    for scope in claude_code.SCOPES:
        entries = claude_code.hook_entries(scope, exec_form=exec_form)
        assert {event: entry["timeout"] for event, entry in entries.items()} == claude_code.TIMEOUTS
        assert all(map(handlers.is_ours, entries.values()))
        assert ["args" in entry for entry in entries.values()] == [exec_form and scope != "project"] * len(entries)


def test_http_entries_are_of_all_events_that_are_posted() -> None:
    entries = claude_code.http_hook_entries("http://x")

    assert set(entries) == set(claude_code.TIMEOUTS) - {"SessionStart"}
    assert {entry["type"] for entry in entries.values()} == {"http"}


def test_installed_is_found_by_its_folder_or_its_program(home: Path, tmp_path: Path) -> None:
    assert not claude_code.is_installed()
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "claude").chmod(0o755)
    assert claude_code.is_installed()
    (tmp_path / "claude").unlink()
    (home / ".claude").mkdir()
    assert claude_code.is_installed()
