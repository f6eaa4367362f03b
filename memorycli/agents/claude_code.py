"""Claude Code: its settings files, its hook events, and what its versions support."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from memorycli.agents import handlers
from memoryserver.client import claude_config

NAME = "claude-code"
TITLE = "Claude Code"
SCOPES = ("user", "project", "local")
# Seconds. The hook takes far less; after this the agent may give up on a laptop that has stalled.
TIMEOUTS = {
    "SessionStart": 10,
    "UserPromptSubmit": 10,
    "PostToolUse": 10,
    "PostToolUseFailure": 10,
    "Stop": 10,
    "SubagentStop": 10,
    "PreCompact": 10,
    "SessionEnd": 5,  # the agent's default is 1.5 s
}
NO_HTTP = ("SessionStart",)  # the agent never posts this event, it only runs commands for it
EXEC_FORM_SINCE = (2, 1, 139)
HTTP_SINCE = (2, 1, 63)


def config_folder() -> Path:
    """Return `$CLAUDE_CONFIG_DIR`, the first folder where it has several (separated by commas), or `~/.claude`."""
    return (claude_config.named_folders() or [Path.home() / ".claude"])[0]


def settings_path(scope: str, root: Path) -> Path:
    """Return the settings file of a scope for the project at `root`."""
    if scope == "user":
        return config_folder() / "settings.json"
    return root / ".claude" / ("settings.json" if scope == "project" else "settings.local.json")


def servers_path(scope: str, root: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the file with the MCP servers of a scope, and the keys above `mcpServers` in it."""
    if scope == "project":
        return root / ".mcp.json", ()
    folder = next(iter(claude_config.named_folders()), Path.home())
    return folder / ".claude.json", () if scope == "user" else ("projects", str(root))


def version() -> tuple[int, ...] | None:
    """Return the version of the `claude` on PATH, None if there is none or it does not report one."""
    program = shutil.which("claude")
    if program is None:
        return None
    try:
        output = subprocess.run([program, "--version"], capture_output=True, timeout=10, check=False, text=True).stdout
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    match = re.search(r"(\d+)\.(\d+)\.(\d+)", output)
    return tuple(map(int, match.groups())) if match else None


def supports_exec_form(version: tuple[int, ...] | None, *, windows: bool) -> bool:
    """Return whether to write entries with `args`.

    A version without support for them would run the bare interpreter. If the version is unknown, a shell line is safe
    on macOS and Linux. On Windows it is not: the shell there may be either of two that quote differently.
    """
    return windows if version is None else version >= EXEC_FORM_SINCE


def hook_entries(scope: str, *, exec_form: bool) -> dict[str, Any]:
    """Return the entries for the settings of a scope, by event."""
    if scope == "project":
        return {
            event: {"type": "command", "command": handlers.SHARED_COMMAND, "timeout": timeout}
            for event, timeout in TIMEOUTS.items()
        }
    make = handlers.exec_form if exec_form else handlers.shell_form
    return {event: make(handlers.hook_argv(), timeout) for event, timeout in TIMEOUTS.items()}


def http_hook_entries(server: str) -> dict[str, Any]:
    """Return the entries that post to `server`, by event."""
    return {event: handlers.http_form(server, timeout) for event, timeout in TIMEOUTS.items() if event not in NO_HTTP}


def is_installed() -> bool:
    """Return whether Claude Code is installed on this laptop."""
    return config_folder().is_dir() or shutil.which("claude") is not None
