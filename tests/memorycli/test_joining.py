"""The join line in a bare account: the system's Python, `sh`, no variable of this process; a real server over HTTP."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from memoryserver import __version__
from memoryserver.access import device
from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User
from tests.support.laptops.joined import Account, script_of
from tests.support.laptops.stub_package import write_wheel
from trajectory.models import ToolCall

EVENT = {
    "hook_event_name": "PostToolUse",
    "session_id": "s",
    "tool_name": "Bash",
    "tool_use_id": "t1",
    "tool_input": {"command": "ls"},
    "tool_response": {"stdout": "a"},
}


@pytest.fixture(autouse=True)
def no_public_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORYSERVER_PUBLIC_URL", raising=False)


@pytest.fixture
def account(tmp_path: Path) -> Account:
    return Account(tmp_path)


@pytest.fixture
def line(live_server: LiveServer, transactional_db: None) -> str:
    return f"curl -fsS {live_server.url}/join | sh"


def tools(folder: Path, *names: str) -> str:
    """A PATH with these programs of the system alone."""
    folder.mkdir()
    for name in ("sh", "mktemp", "rm", "cat", *names):
        (folder / name).symlink_to(f"/bin/{name}")
    return str(folder)


def test_line_installs_the_client_which_logs_in_records_and_is_undone(
    account: Account, line: str, live_server: LiveServer, alice: User
) -> None:
    (account.home / ".claude").mkdir()
    _, token = tokens.issue(alice, "laptop")
    joined = account.sh(line, MEMORYSERVER_TOKEN=token)

    assert (joined.status, joined.err) == (0, "")
    assert f"logged in to {live_server.url} as alice" in joined.out
    assert f"To add the hooks to Claude Code: '{account.command}' install claude-code" in joined.out
    assert f"To undo all this: '{account.command}' uninstall --all" in joined.out
    assert account.memory("--version").out == f"memory {__version__}\n"

    assert account.memory("install", "claude-code").status == 0
    settings = json.loads((account.home / ".claude/settings.json").read_text())
    hook = settings["hooks"]["PostToolUse"][0]["hooks"][0]
    assert str(account.client / "current/memorycli/hook") in hook["command"]
    assert account.sh(hook["command"], stdin=json.dumps(EVENT | {"cwd": str(account.home)})).out == ""
    assert account.memory("sync").status == 0
    assert [(call.tool_name, call.user) for call in ToolCall.objects.all()] == [("Bash", alice)]

    undone = account.memory("uninstall", "--all")
    assert (undone.status, undone.err) == (0, "")
    assert (account.command.exists(), account.client.exists()) == (False, False)
    assert not (account.home / ".claude/settings.json").exists()
    assert ApiToken.objects.get(name="laptop").state == "revoked"
    assert (account.home / ".memoryserver/trajectory").is_dir() or "Recorded data is kept" in undone.out


def test_person_at_a_terminal_is_asked_and_allows_the_laptop_in_the_browser(
    account: Account, line: str, alice: User, tmp_path: Path
) -> None:
    (account.home / ".claude").mkdir()
    account.environment |= write_wheel(tmp_path)

    def allow(match: re.Match[str]) -> None:
        device.decide(alice, match[1], allow=True)

    answers: Mapping[str, str | Callable[[re.Match[str]], None]] = {
        r"type the code ([A-Z-]{9})": allow,
        r"Add the hooks to Claude Code.*\[Y/n\]": "\n",
        r"MCP.*Install it\? \[Y/n\]": "\n",
    }
    joined = account.on_terminal(f"BROWSER=true; export BROWSER; {line}", dict(answers))

    assert joined.status == 0, joined.out
    assert "as alice" in joined.out
    assert "added hooks to " in joined.out
    assert (account.home / ".claude/settings.json").exists()
    server = json.loads((account.home / ".claude.json").read_text())["mcpServers"]["memoryserver"]
    assert server["command"] == str(account.client / "env/bin/python")


def test_person_who_declines_the_tools_gets_the_hooks_and_a_line_that_adds_the_tools(
    account: Account, line: str, alice: User, tmp_path: Path
) -> None:
    (account.home / ".claude").mkdir()
    account.environment |= write_wheel(tmp_path)
    account.sh(line, MEMORYSERVER_TOKEN=tokens.issue(alice, "laptop")[1])
    said = account.on_terminal(f"'{account.command}' install claude-code", {r"Install it": "n\n"})
    assert (said.status, (account.home / ".claude.json").exists()) == (0, False)
    match = re.search("The MCP server was not added: its package is missing. Run (.*)\n", said.out)
    assert match is not None

    assert account.sh(match[1]).status == 0

    assert list(json.loads((account.home / ".claude.json").read_text())["mcpServers"]) == ["memoryserver"]


def test_person_who_declines_the_hooks_is_told_the_command(account: Account, line: str, alice: User) -> None:
    (account.home / ".claude").mkdir()
    token = tokens.issue(alice, "laptop")[1]
    joined = account.on_terminal(
        f"MEMORYSERVER_TOKEN={token}; export MEMORYSERVER_TOKEN; {line}", {r"Add the hooks": "n\n"}
    )

    assert (joined.status, f"Later: '{account.command}' install claude-code" in joined.out) == (0, True)
    assert not (account.home / ".claude/settings.json").exists()


def test_running_it_again_changes_nothing_and_repairs_what_is_broken(account: Account, line: str, alice: User) -> None:
    token = tokens.issue(alice, "laptop")[1]
    account.sh(line, MEMORYSERVER_TOKEN=token)
    before = os.readlink(account.client / "current")

    again = account.sh(line)
    assert (again.status, "is logged in to" in again.out) == (0, True)
    assert os.readlink(account.client / "current") == before

    (account.client / "current/memorycli/main.py").unlink()
    (account.client / "env/bin/python").unlink()
    assert account.sh(line).status == 0
    assert account.memory("--version").status == 0


@pytest.mark.parametrize("shell", [("sh", "-u"), ("bash", "-u"), ("bash", "--posix"), ("dash", "-e")], ids=" ".join)
def test_shells_with_strict_options_run_it(
    shell: tuple[str, ...], account: Account, live_server: LiveServer, transactional_db: None
) -> None:
    joined = account.sh(script_of(live_server.url), shell=shell)

    assert (joined.status, joined.err) == (0, "")
    assert account.memory("--version").status == 0


@pytest.mark.parametrize("fetches", ["wget", ""], ids=["wget", "python"])
def test_account_without_curl_fetches_by_what_there_is(
    fetches: str, tmp_path: Path, live_server: LiveServer, transactional_db: None
) -> None:
    account = Account(tmp_path, path=tools(tmp_path / "bin", *filter(None, [fetches])))
    joined = account.sh(script_of(live_server.url))

    assert (joined.status, joined.err) == (0, "")
    assert account.memory("--version").status == 0


def test_part_of_the_script_does_nothing(account: Account, live_server: LiveServer, transactional_db: None) -> None:
    script = script_of(live_server.url)
    for end in range(200, len(script) - len("main\n"), 97):
        account.sh('head -c "$1" "$2" | sh', str(end), str(_written(account, script)))
        (account.home / "script").unlink()

    assert list(account.home.iterdir()) == []


def _written(account: Account, script: str) -> Path:
    path = account.home / "script"
    path.write_text(script)
    return path


def test_wrong_checksum_installs_nothing_and_leaves_the_old_client(
    account: Account, live_server: LiveServer, transactional_db: None
) -> None:
    script = script_of(live_server.url)
    wrong = re.sub(r"sha256=\w+", f"sha256={'0' * 64}", script)
    first = account.sh(wrong)

    assert (first.status, account.client.exists(), account.command.exists()) == (1, False, False)
    assert first.err.startswith(f"memory: what came from {live_server.url}/join/client.pyz is damaged")
    assert first.err.endswith("nothing was changed. Run this again.\n")
    account.sh(script)
    assert account.sh(wrong).status == 1
    assert account.memory("--version").status == 0


@pytest.mark.parametrize("fetches", ["curl", "wget", ""], ids=["curl", "wget", "python"])
def test_server_that_ends_in_the_middle_leaves_the_old_client(
    fetches: str, tmp_path: Path, live_server: LiveServer, transactional_db: None
) -> None:
    account = Account(tmp_path, path=tools(tmp_path / "bin", *filter(None, [fetches])))
    account.sh(script_of(live_server.url))
    gone = script_of(live_server.url).replace(live_server.url, "http://127.0.0.1:1")
    failed = account.sh(gone)

    assert failed.status == 1
    assert failed.err.splitlines()[-1] == (
        "memory: http://127.0.0.1:1/join/client.pyz could not be fetched; nothing was changed. Run this again."
    )
    assert "Traceback" not in failed.err
    assert account.memory("--version").status == 0
    assert account.memory("ghap", "list").out == "no entries\n"  # works offline


def test_account_without_a_python_that_is_new_enough_is_told_what_to_do(
    tmp_path: Path, live_server: LiveServer, transactional_db: None
) -> None:
    folder = tools(tmp_path / "bin")
    (tmp_path / "bin/python3").write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2 || exit 1\n')
    (tmp_path / "bin/python3").chmod(0o755)
    account = Account(tmp_path, path=folder)
    found = account.sh(script_of(live_server.url), MEMORY_PYTHON="")
    named = account.sh(script_of(live_server.url), MEMORY_PYTHON="python3")

    assert (found.status, found.out, found.err.count("\n")) == (1, "", 1)
    assert found.err.startswith("memory: Python 3.11 or later is needed, and there is Python 3.9.2. Install it (Debian")
    assert named.err == "memory: MEMORY_PYTHON=python3 is not Python 3.11 or later\n"
    assert list(account.home.iterdir()) == []


def test_command_of_somebody_else_is_not_replaced(account: Account, line: str) -> None:
    account.command.parent.mkdir(parents=True)
    account.command.write_text("#!/bin/sh\necho other\n")
    refused = account.sh(line)

    assert (refused.status, account.client.joinpath("current").exists()) == (1, False)
    assert refused.err.startswith(f"memory: {account.command} exists and was not made by this; remove it")
    elsewhere = account.sh(line, MEMORY_BIN_DIR=str(account.home / "my bin"))
    assert elsewhere.status == 0
    assert account.sh("'./my bin/memory' --version").out == f"memory {__version__}\n"


def test_folder_that_is_not_on_the_path_is_named_with_a_line_that_works(account: Account, line: str) -> None:
    joined = account.sh(line)
    advice = next(text.strip() for text in joined.out.splitlines() if text.startswith("  echo "))
    account.sh(advice)

    assert account.sh(". ./.profile; memory --version").out == f"memory {__version__}\n"
    account.environment["PATH"] += f":{account.command.parent}"
    assert "is not on your PATH" not in account.sh(line).out


def test_virtual_environment_that_is_active_does_not_matter(account: Account, line: str) -> None:
    joined = account.sh(line, MEMORY_PYTHON=sys.executable, VIRTUAL_ENV="/nowhere", PYTHONPATH=str(account.home))

    assert joined.status == 0
    assert account.memory("--version").status == 0
