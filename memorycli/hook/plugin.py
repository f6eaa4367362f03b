"""The plugin beside the settings: its hooks do nothing if the agent's settings have hooks too.

The agent runs both. The settings' hooks are the quicker ones, so the plugin's (`memory hook --plugin`) ends at once,
and each event is reported once. The settings files themselves are read, not a list of what was installed: a project's
settings come with its repository, and a person may remove hooks by hand.
"""

from __future__ import annotations

import os

FLAG = "--plugin"
_FILES = ("settings.json", "settings.local.json")
_MAX_BYTES = 4 << 20
_MARKS = (
    "memorycli",
    "memory hook",
    '"memory", "args": ["hook"',
    "/api/v1/hooks/claude-code",
)


def settings_have_hook() -> bool:
    """Return whether the settings of the user or of the project have a hook of memoryserver. Never raises."""
    user = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    project = os.path.join(os.environ.get("CLAUDE_PROJECT_DIR") or os.curdir, ".claude")
    return _has_hook(os.path.join(user, _FILES[0])) or any(_has_hook(os.path.join(project, name)) for name in _FILES)


def _has_hook(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_BYTES)
        if b'"hooks"' not in data:
            return False
        import json

        document = json.loads(data)
        hooks = json.dumps(document["hooks"]) if isinstance(document, dict) and "hooks" in document else ""
    except (OSError, ValueError, RecursionError):  # the agent cannot read it either
        return False
    return any(mark in hooks for mark in _MARKS)
