"""Codex: where its files lie and which events it tells.

It trusts each hook by a digest of its entry, so an entry that changes must be reviewed again (`/hooks`): entries are
written once and left alone as long as they still hold.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from memorycli.agents import handlers

NAME = "codex"
TITLE = "Codex"
SCOPES = ("user", "project")
TIMEOUTS = dict.fromkeys(("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "SubagentStop", "Stop"), 10)


def config_folder() -> Path:
    """`$CODEX_HOME`, by default `~/.codex`."""
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex").expanduser()


def folder(scope: str, root: Path) -> Path:
    """Where `hooks.json` and `config.toml` of a scope lie."""
    return config_folder() if scope == "user" else root / ".codex"


def wanted(scope: str) -> dict[str, Any]:
    """The entries that belong into `hooks.json`, by event; Codex hands every command to a shell."""
    command = handlers.SHARED_COMMAND if scope == "project" else handlers.shell_words(handlers.hook_argv())
    return {event: {"type": "command", "command": command, "timeout": timeout} for event, timeout in TIMEOUTS.items()}


def is_here() -> bool:
    """Whether this laptop has Codex."""
    return config_folder().is_dir() or shutil.which("codex") is not None
