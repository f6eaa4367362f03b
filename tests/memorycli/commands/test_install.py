"""`memory install` on real settings files of a home folder of the test's own."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from memorycli.agents import claude_code
from memorycli.delivery import connection
from tests.support.agents.agent_settings import STYLES, claude_settings, events_of, isolated_laptop, tree
from tests.support.laptops.laptop import Laptop

ENTRY = {"type": "command", "command": "other", "timeout": 5}


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    return isolated_laptop(tmp_path, monkeypatch, capsys)


@pytest.fixture
def settings(memory: Laptop) -> Path:
    return claude_settings()


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_second_install_changes_nothing(text: str, memory: Laptop, settings: Path) -> None:
    settings.write_bytes(text.encode())
    (Path.home() / ".claude.json").write_bytes(text.encode())
    memory("install", "claude-code")
    before = tree(Path.home())

    said = memory("install", "claude-code")

    assert (said.status, tree(Path.home())) == (0, before)
    assert said.out.startswith("Claude Code is up to date, nothing was changed\n")


def test_entry_of_an_older_version_is_updated(memory: Laptop, settings: Path) -> None:
    old = {"type": "command", "command": "/old/python -m memorycli hook", "timeout": 60}
    groups = [
        {"hooks": [ENTRY]},
        {"matcher": "*", "hooks": [old]},
        {"hooks": [old]},
        {"matcher": "Bash", "hooks": [ENTRY]},
    ]
    settings.write_text(json.dumps({"hooks": {"PostToolUse": groups, "Notification": [{"hooks": [old]}]}}, indent=2))

    memory("install", "claude-code")

    assert events_of(settings) == sorted(claude_code.TIMEOUTS)
    written = json.loads(settings.read_text())["hooks"]
    assert written["PostToolUse"][:-1] == [{"hooks": [ENTRY]}, {"matcher": "Bash", "hooks": [ENTRY]}]
    assert "/old/python" not in settings.read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\ufeff{}", "byte order mark"),
        ('{\n  // a comment\n  "model": "opus"\n}', "comments"),
        ('{"model": }', "is invalid JSON"),
        ("[]", "is not a JSON object"),
        ('{"hooks": 1}', "not an object"),
        ('{"hooks": {"Stop": 1}}', "not an array"),
        ('{"hooks": {"Stop": []}, "hooks": {}}', "twice"),
    ],
)
def test_file_that_cannot_be_edited_is_an_error_and_nothing_is_changed(
    text: str, message: str, memory: Laptop, settings: Path
) -> None:
    settings.write_text(text)
    (Path.home() / ".claude.json").write_text("{}")

    said = memory("install", "claude-code")

    assert (said.status, said.out) == (1, "")
    assert said.err.startswith(f"memory: {settings} ")
    assert message in said.err
    assert "nothing was changed" in said.err
    assert tree(Path.home()) == {".claude/settings.json": text.encode(), ".claude.json": b"{}"}


def test_damaged_second_file_leaves_the_first_unchanged(memory: Laptop, settings: Path) -> None:
    settings.write_text("{}")
    (Path.home() / ".claude.json").write_text("{")

    assert memory("install", "claude-code").status == 1
    assert settings.read_text() == "{}"


def test_dry_run_shows_a_diff_and_changes_nothing(memory: Laptop, settings: Path) -> None:
    settings.write_text(STYLES["two blanks"])
    before = tree(Path.home())

    said = memory("install", "claude-code", "--dry-run")

    assert said.status == 0
    assert said.out.startswith(f"--- {settings}\n+++ {settings}\n@@ ")
    assert '+    "SessionStart": [' in said.out
    assert (tree(Path.home()), memory.home.exists()) == (before, False)
    memory("install", "claude-code")
    assert memory("install", "claude-code", "--dry-run").out == "nothing to change\n"
    would = memory("uninstall", "claude-code", "--dry-run").out
    assert re.findall(r"would remove (.*) from (\S.*?)(?: and delete.*)?:\n--- (.*)\n", would) == [
        ("MCP server", *[str(Path.home() / ".claude.json")] * 2),
        ("hooks", *[str(settings)] * 2),
    ]


def test_backup_of_the_previous_text_is_named(memory: Laptop, settings: Path) -> None:
    settings.write_text(STYLES["tabs"])

    said = memory("install", "claude-code").out

    [backup] = [Path(line.partition(": ")[2]) for line in said.splitlines() if line.startswith("  backup: ")]
    assert backup.read_text() == STYLES["tabs"]


def test_mcp_server_is_registered_in_its_scope(memory: Laptop) -> None:
    own = {"type": "stdio", "command": sys.executable, "args": ["-P", "-m", "memorycli", "mcp"]}
    for scope in ("user", "local", "project"):
        memory("install", "claude-code", "--scope", scope)

    registered = json.loads((Path.home() / ".claude.json").read_text())
    assert registered["mcpServers"] == {"memoryserver": own}
    assert registered["projects"] == {str(memory.project): {"mcpServers": {"memoryserver": own}}}
    shared = json.loads((memory.project / ".mcp.json").read_text())
    assert shared["mcpServers"]["memoryserver"] == {"type": "stdio", "command": "memory", "args": ["mcp"]}


def test_registration_of_another_program_by_that_name_is_refused(memory: Laptop, settings: Path) -> None:
    text = '{"mcpServers": {"memoryserver": {"command": "other"}}}'
    (Path.home() / ".claude.json").write_text(text)

    said = memory("install", "claude-code")

    assert (said.status, (Path.home() / ".claude.json").read_text()) == (1, text)
    assert 'has an MCP server "memoryserver" of another program' in said.err
    assert memory("install", "claude-code", "--no-mcp").status == 0
    assert memory("uninstall", "claude-code").status == 0
    assert (Path.home() / ".claude.json").read_text() == text


def test_shared_files_of_a_project_have_no_paths_of_this_laptop(memory: Laptop) -> None:
    memory("install", "claude-code", "--scope", "project")
    memory("install", "codex", "--scope", "project")

    shared = "".join(path.decode() for path in tree(memory.project).values())
    assert "memory hook" in shared
    assert [name for name in (sys.executable, str(Path.home()), str(memory.home)) if name in shared] == []


def test_http_mode_names_the_variable_and_never_the_token(memory: Laptop, settings: Path) -> None:
    connection.store("https://memory.example.org", "msv_secret")

    said = memory("install", "claude-code", "--mode", "http")

    written = json.loads(settings.read_text())["hooks"]
    assert sorted(written) == sorted(set(claude_code.TIMEOUTS) - {"SessionStart"})
    assert written["Stop"][0]["hooks"][0] == {
        "type": "http",
        "url": "https://memory.example.org/api/v1/hooks/claude-code",
        "headers": {"Authorization": "Bearer ${MEMORYSERVER_TOKEN}"},
        "allowedEnvVars": ["MEMORYSERVER_TOKEN"],
        "timeout": 10,
    }
    assert "msv_secret" not in said.out + "".join(path.decode() for path in tree(Path.home()).values())
    assert "export MEMORYSERVER_TOKEN" in said.out


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["claude-code", "--mode", "http"], 1, "not logged in"),
        (["claude-code", "--mode", "http", "--url", "ftp://x"], 2, "is not an address"),
        (["codex", "--mode", "http"], 2, "neither HTTP hooks nor a local scope"),
        (["codex", "--scope", "local"], 2, "neither HTTP hooks nor a local scope"),
    ],
)
def test_impossible_options_are_an_error(words: list[str], status: int, message: str, memory: Laptop) -> None:
    said = memory("install", *words)

    assert (said.status, message in said.err) == (status, True)


def test_http_hooks_are_refused_for_a_version_without_them(memory: Laptop, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "claude").write_text("#!/bin/sh\necho 2.1.62\n")
    (tmp_path / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    assert "need Claude Code 2.1.63" in memory("install", "claude-code", "--mode", "http", "--url", "http://x").err


def test_config_folders_of_the_environment_are_used(memory: Laptop, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude ü"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex ü"))
    memory("install", "claude-code")
    memory("install", "codex")

    paths = [path for path in tree(tmp_path) if path.startswith(("claude ü", "codex ü"))]
    assert sorted(paths) == [
        "claude ü/.claude.json",
        "claude ü/settings.json",
        "codex ü/config.toml",
        "codex ü/hooks.json",
    ]


def test_without_an_argument_agents_are_listed(memory: Laptop, settings: Path) -> None:
    assert memory("install").out == "Claude Code: not installed\n  memory install claude-code\n"
    memory("install", "claude-code")
    assert memory("install").out == "Claude Code: installed for all your projects\n"


def test_without_any_agent_a_message_says_so(memory: Laptop) -> None:
    assert memory("install").out.startswith("Found neither Claude Code nor Codex on this laptop.\n")


def test_unwritable_folder_is_one_line(memory: Laptop, settings: Path) -> None:
    settings.parent.rmdir()
    settings.parent.write_text("a file")

    said = memory("install", "claude-code")

    assert (said.status, said.out) == (1, "")
    assert said.err.startswith("memory: ")
    assert said.err.count("\n") == 1
