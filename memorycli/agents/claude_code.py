"""Claude Code: where its files lie, which events it tells, and what its versions know."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from memorycli.agents import handlers

NAME = "claude-code"
TITLE = "Claude Code"
SCOPES = ("user", "project", "local")
# Seconds. The hook takes far less; this is when the agent may give up on a laptop that has come to a standstill.
TIMEOUTS = {
    "SessionStart": 10,
    "UserPromptSubmit": 10,
    "PostToolUse": 10,
    "PostToolUseFailure": 10,
    "Stop": 10,
    "SubagentStop": 10,
    "PreCompact": 10,
    "SessionEnd": 5,  # more than its 1.5 s by default
}
NO_HTTP = ("SessionStart",)  # never posted, only run
EXEC_FORM_SINCE = (2, 1, 139)
HTTP_SINCE = (2, 1, 63)


def config_folder() -> Path:
    """`$CLAUDE_CONFIG_DIR`, by default `~/.claude`."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude").expanduser()


def settings_path(scope: str, root: Path) -> Path:
    """The settings file of a scope, for the project at `root`."""
    if scope == "user":
        return config_folder() / "settings.json"
    return root / ".claude" / ("settings.json" if scope == "project" else "settings.local.json")


def servers_path(scope: str, root: Path) -> tuple[Path, tuple[str, ...]]:
    """Where the MCP servers of a scope are registered: the file, and the keys above `mcpServers` in it."""
    if scope == "project":
        return root / ".mcp.json", ()
    folder = config_folder() if os.environ.get("CLAUDE_CONFIG_DIR") else Path.home()
    return folder / ".claude.json", () if scope == "user" else ("projects", str(root))


def version() -> tuple[int, ...] | None:
    """The version of the `claude` on the search path, None where there is none or it does not say."""
    program = shutil.which("claude")
    if program is None:
        return None
    try:
        said = subprocess.run([program, "--version"], capture_output=True, timeout=10, check=False, text=True).stdout
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
    return tuple(map(int, found.groups())) if found else None


def takes_exec_form(known: tuple[int, ...] | None, *, windows: bool) -> bool:
    """Whether entries are written with `args`.

    A version that does not know them would run the bare interpreter. Where the version is unknown a shell line is
    safe on macOS and Linux; on Windows it is not, for there the shell may be either of two that quote differently.
    """
    return windows if known is None else known >= EXEC_FORM_SINCE


def wanted(scope: str, *, exec_form: bool) -> dict[str, Any]:
    """The entries that belong into the settings of a scope, by event."""
    if scope == "project":
        return {
            event: {"type": "command", "command": handlers.SHARED_COMMAND, "timeout": timeout}
            for event, timeout in TIMEOUTS.items()
        }
    make = handlers.exec_form if exec_form else handlers.shell_form
    return {event: make(handlers.hook_argv(), timeout) for event, timeout in TIMEOUTS.items()}


def wanted_http(server: str) -> dict[str, Any]:
    """The entries that post to `server`."""
    return {event: handlers.http_form(server, timeout) for event, timeout in TIMEOUTS.items() if event not in NO_HTTP}


def is_here() -> bool:
    """Whether this laptop has Claude Code."""
    return config_folder().is_dir() or shutil.which("claude") is not None
