"""Codex: its settings files and its hook events.

Codex identifies a trusted hook by the digest of its entry, so the user must review a changed entry again (`/hooks`).
Therefore entries are written once and not changed while they are valid.
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
    """Return `$CODEX_HOME`, by default `~/.codex`."""
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex").expanduser()


def folder(scope: str, root: Path) -> Path:
    """Return the folder of the `hooks.json` and `config.toml` of a scope."""
    return config_folder() if scope == "user" else root / ".codex"


def hook_entries(scope: str) -> dict[str, Any]:
    """Return the entries for `hooks.json`, by event. Codex runs every command in a shell."""
    command = handlers.SHARED_COMMAND if scope == "project" else handlers.shell_words(handlers.hook_argv())
    return {event: {"type": "command", "command": command, "timeout": timeout} for event, timeout in TIMEOUTS.items()}


def is_installed() -> bool:
    """Return whether Codex is installed on this laptop."""
    return config_folder().is_dir() or shutil.which("codex") is not None
