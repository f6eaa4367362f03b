"""`memory install` and `memory uninstall` on real settings files of a home of the test's own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from memorycli.agents import claude_code, hooks
from memorycli.delivery import connection
from tests.support.laptop import Laptop

STYLES = {
    "two blanks": '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  }\n}\n',
    "tabs": '{\n\t"hooks": {\n\t\t"Stop": []\n\t},\n\t"x": [1, 2, 3]\n}',
    "four blanks, CRLF": '{\r\n    "permissions": {"allow": ["Read", "Bash(ls:*)"]},\r\n    "hooks": {}\r\n}\r\n',
    "one line": '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
    "nothing": "{}",
    "blank": "{ }\n",
    "empty file": "",
    "only a line break": "\n",
    "no hooks": '{\n   "ü": "ü\\u00fc"\n}',
}
ENTRY = {"type": "command", "command": "other", "timeout": 5}


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    user = tmp_path / "user ü"
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Laptop(tmp_path, monkeypatch, capsys)


@pytest.fixture
def settings(memory: Laptop) -> Path:
    path = Path.home() / ".claude" / "settings.json"
    path.parent.mkdir()
    return path


def events_of(path: Path) -> list[str]:
    """The events that have an entry of ours, each as often as it has one."""
    return sorted(entry.event for entry in hooks.ours(json.loads(path.read_text())))


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_every_file_is_given_back_to_the_byte(text: str, memory: Laptop, settings: Path) -> None:
    settings.write_bytes(text.encode())
    (Path.home() / ".claude.json").write_bytes(text.encode())
    before = tree(Path.home())

    assert memory("install", "claude-code").status == 0
    assert events_of(settings) == sorted(claude_code.TIMEOUTS)
    assert memory("uninstall", "claude-code").status == 0

    assert tree(Path.home()) == before


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_second_install_changes_nothing(text: str, memory: Laptop, settings: Path) -> None:
    settings.write_bytes(text.encode())
    memory("install", "claude-code")
    before = tree(Path.home())

    said = memory("install", "claude-code")

    assert (said.status, tree(Path.home())) == (0, before)
    assert said.out.startswith("Claude Code has it all already, nothing was changed\n")


def test_files_that_were_made_are_gone_afterwards(memory: Laptop) -> None:
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


def test_what_a_person_changes_meanwhile_stays(memory: Laptop, settings: Path) -> None:
    settings.write_text(STYLES["two blanks"])
    memory("install", "claude-code")
    text = settings.read_text().replace('"model": "opus"', '"model":   "sonnet" ')
    settings.write_text(text)

    memory("uninstall", "claude-code")

    assert settings.read_text() == STYLES["two blanks"].replace('"model": "opus"', '"model":   "sonnet" ')


def test_entry_of_an_older_version_is_brought_up_to_date(memory: Laptop, settings: Path) -> None:
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
    kept = json.loads(settings.read_text())["hooks"]
    assert kept["PostToolUse"][:-1] == [{"hooks": [ENTRY]}, {"matcher": "Bash", "hooks": [ENTRY]}]
    assert "/old/python" not in settings.read_text()


def test_update_of_an_untouched_file_still_gives_it_back_to_the_byte(memory: Laptop, settings: Path) -> None:
    settings.write_text(STYLES["tabs"])
    memory("install", "claude-code")
    memory("install", "claude-code", "--mode", "http", "--url", "http://127.0.0.1:1")
    memory("uninstall", "claude-code")

    assert settings.read_text() == STYLES["tabs"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\ufeff{}", "byte order mark"),
        ('{\n  // a comment\n  "model": "opus"\n}', "comments"),
        ('{"model": }', "is no JSON"),
        ("[]", "no JSON object"),
        ('{"hooks": 1}', "no object"),
        ('{"hooks": {"Stop": 1}}', "no array"),
        ('{"hooks": {"Stop": []}, "hooks": {}}', "twice"),
    ],
)
def test_file_that_cannot_take_it_is_an_error_and_nothing_is_changed(
    text: str, said: str, memory: Laptop, settings: Path
) -> None:
    settings.write_text(text)
    (Path.home() / ".claude.json").write_text("{}")

    done = memory("install", "claude-code")

    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"memory: {settings} ")
    assert said in done.err
    assert "nothing was changed" in done.err
    assert tree(Path.home()) == {".claude/settings.json": text.encode(), ".claude.json": b"{}"}


def test_damaged_second_file_leaves_the_first_as_it_was(memory: Laptop, settings: Path) -> None:
    settings.write_text("{}")
    (Path.home() / ".claude.json").write_text("{")

    assert memory("install", "claude-code").status == 1
    assert settings.read_text() == "{}"


def test_dry_run_shows_a_diff_and_touches_nothing(memory: Laptop, settings: Path) -> None:
    settings.write_text(STYLES["two blanks"])
    before = tree(Path.home())

    said = memory("install", "claude-code", "--dry-run")

    assert said.status == 0
    assert said.out.startswith(f"--- {settings}\n+++ {settings}\n@@ ")
    assert '+    "SessionStart": [' in said.out
    assert (tree(Path.home()), memory.home.exists()) == (before, False)
    memory("install", "claude-code")
    assert memory("install", "claude-code", "--dry-run").out == "nothing to change\n"
    assert memory("uninstall", "claude-code", "--dry-run").out.startswith("--- ")


def test_backup_of_what_was_there_is_named(memory: Laptop, settings: Path) -> None:
    settings.write_text(STYLES["tabs"])

    said = memory("install", "claude-code").out

    [backup] = [Path(line.partition(": ")[2]) for line in said.splitlines() if line.startswith("  backup: ")]
    assert backup.read_text() == STYLES["tabs"]


def test_mcp_server_is_registered_where_the_scope_says(memory: Laptop) -> None:
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


def test_what_a_project_shares_names_nothing_of_this_laptop(memory: Laptop) -> None:
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
    ("words", "said"),
    [
        (["claude-code", "--mode", "http"], "not logged in"),
        (["claude-code", "--mode", "http", "--url", "ftp://x"], "is not an address"),
        (["codex", "--mode", "http"], "neither HTTP hooks nor a local scope"),
        (["codex", "--scope", "local"], "neither HTTP hooks nor a local scope"),
    ],
)
def test_what_cannot_be_installed_is_said(words: list[str], said: str, memory: Laptop) -> None:
    done = memory("install", *words)

    assert (done.status, said in done.err) == (1, True)


def test_http_hooks_are_refused_for_a_version_without_them(memory: Laptop, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "claude").write_text("#!/bin/sh\necho 2.1.62\n")
    (tmp_path / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    assert "need Claude Code 2.1.63" in memory("install", "claude-code", "--mode", "http", "--url", "http://x").err


def test_other_folders_of_the_agents_are_honoured(memory: Laptop, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude ü"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex ü"))
    memory("install", "claude-code")
    memory("install", "codex")

    found = [path for path in tree(tmp_path) if path.startswith(("claude ü", "codex ü"))]
    assert sorted(found) == [
        "claude ü/.claude.json",
        "claude ü/settings.json",
        "codex ü/config.toml",
        "codex ü/hooks.json",
    ]


def test_uninstall_finds_the_projects_that_it_was_installed_for(memory: Laptop, tmp_path: Path, monkeypatch) -> None:
    memory("install", "claude-code", "--scope", "local")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)

    memory("uninstall", "claude-code")

    assert tree(memory.project) == {}


def test_uninstall_of_one_scope_leaves_the_others(memory: Laptop) -> None:
    memory("install", "claude-code")
    memory("install", "claude-code", "--scope", "local")
    memory("uninstall", "claude-code", "--scope", "user")

    assert not (Path.home() / ".claude/settings.json").exists()
    assert events_of(memory.project / ".claude/settings.local.json") == sorted(claude_code.TIMEOUTS)
    assert list(json.loads((Path.home() / ".claude.json").read_text())) == ["projects"]


def test_uninstall_without_the_list_still_finds_every_entry(memory: Laptop, settings: Path) -> None:
    settings.write_text(STYLES["two blanks"])
    memory("install", "claude-code")
    (memory.home / "installed.json").write_text("{damaged")

    memory("uninstall", "claude-code")

    assert settings.read_text() == STYLES["two blanks"]


def test_nothing_to_take_out_is_said(memory: Laptop) -> None:
    said = memory("uninstall", "claude-code")

    assert (said.status, said.out) == (0, "nothing of memoryserver is in the settings of Claude Code\n")


def test_without_an_agent_it_says_what_there_is(memory: Laptop, settings: Path) -> None:
    assert memory("install").out == "Claude Code: not installed\n  memory install claude-code\n"
    memory("install", "claude-code")
    assert memory("install").out == "Claude Code: installed for all your projects\n"


def test_without_any_agent_it_says_so(memory: Laptop) -> None:
    assert memory("install").out.startswith("Found neither Claude Code nor Codex on this laptop.\n")


def test_unwritable_folder_is_one_line(memory: Laptop, settings: Path) -> None:
    settings.parent.rmdir()
    settings.parent.write_text("a file")

    said = memory("install", "claude-code")

    assert (said.status, said.out) == (1, "")
    assert said.err.startswith("memory: ")
    assert said.err.count("\n") == 1
