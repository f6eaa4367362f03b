"""The LaunchAgent of macOS that runs the capture daemon."""

from __future__ import annotations

import plistlib
from collections.abc import Mapping, Sequence
from pathlib import Path

LABEL = "org.memoryserver.capture"
FOLDER = Path("Library/LaunchAgents")  # below the user's home


def agent(program: Sequence[str], environment: Mapping[str, str], log: Path) -> bytes:
    """Return the property list that starts `program` at login, and again a minute after it ends.

    `environment` is its whole environment; its output goes to the file `log`.
    """
    content = {
        "Label": LABEL,
        "ProgramArguments": list(program),
        "EnvironmentVariables": dict(environment),
        "RunAtLoad": True,
        "KeepAlive": True,
        "ThrottleInterval": 60,
        "ExitTimeOut": 60,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 5,
        "Umask": 0o077,
        "WorkingDirectory": "/",
        "StandardOutPath": str(log),
        "StandardErrorPath": str(log),
    }
    return plistlib.dumps(content, sort_keys=False)


def start_commands(user: int, path: Path) -> list[list[str]]:
    """Return the commands that make launchd load the file at `path` for `user`, also in place of an earlier one."""
    return [
        ["launchctl", "bootout", f"gui/{user}/{LABEL}"],
        ["launchctl", "enable", f"gui/{user}/{LABEL}"],
        ["launchctl", "bootstrap", f"gui/{user}", str(path)],
    ]


def stop_commands(user: int) -> list[list[str]]:
    """Return the commands that make launchd stop and unload the agent."""
    return [["launchctl", "bootout", f"gui/{user}/{LABEL}"]]
