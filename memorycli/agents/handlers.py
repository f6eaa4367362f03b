"""A hook's entry: the command that an agent runs at an event, or the URL that it posts the event to."""

from __future__ import annotations

import os
import re
import shlex
import sys
from typing import Any

from memorycli.hook import command
from memoryserver.common.protocol import API_ROOT

HTTP_PATH = f"{API_ROOT}/hooks/claude-code"
TOKEN_VARIABLE = "MEMORYSERVER_TOKEN"  # noqa: S105 - the variable's name
# A file that colleagues share must not have a path of one laptop, and must do nothing on a laptop without `memory`.
SHARED_COMMAND = "if command -v memory >/dev/null 2>&1; then exec memory hook; fi"

_OURS = re.compile(
    r"""(?:^|[\s/\\"'])memory(?:\.exe|\.cmd)?["']?\s+(?:-\S+\s+)*hook\b"""  # the console command
    r"""|\bmemory(?:cli|server)(?:[\w.]*|[^\s"']*[/\\][^\s"']*)["']?\s+(?:-\S+\s+)*hook\b"""  # python -m memorycli hook
    r"""|\bmemory(?:cli|server[/\\.]cli)[/\\.]\w*hook""",  # a module of its own
    re.VERBOSE,
)


def hook_argv() -> list[str]:
    """Return the command line that an agent of this laptop runs at an event."""
    return command.argv()


def server_argv() -> list[str]:
    """Return the command line of `memory mcp`.

    `-P` removes the agent's current folder, which may have modules of any name, from the import path.
    """
    return [sys.executable, "-P", "-m", "memorycli", "mcp"]


def exec_form(argv: list[str], timeout: int) -> dict[str, Any]:
    """Return an entry with separate arguments, which the agent runs without a shell."""
    return {"type": "command", "command": argv[0], "args": argv[1:], "timeout": timeout}


def shell_form(argv: list[str], timeout: int, *, windows: bool | None = None) -> dict[str, Any]:
    """Return an entry with one command line for a shell: `sh`, on Windows Git Bash or PowerShell."""
    return {"type": "command", "command": shell_words(argv, windows=windows), "timeout": timeout}


def shell_words(argv: list[str], *, windows: bool | None = None) -> str:
    """Return `argv` as one command line for a shell.

    On Windows the program's path has forward slashes, which every program there accepts: Git Bash removes backslashes.
    Words are quoted for Git Bash.
    """
    if not (os.name == "nt" if windows is None else windows):
        return shlex.join(argv)
    words = [argv[0].replace("\\", "/"), *argv[1:]]
    return " ".join(word if re.fullmatch(r"[\w./:=@%+,-]+", word) else f'"{word}"' for word in words)


def http_form(server: str, timeout: int) -> dict[str, Any]:
    """Return an entry that posts the event to `server`; the token stays in the environment."""
    return {
        "type": "http",
        "url": server + HTTP_PATH,
        "headers": {"Authorization": f"Bearer ${{{TOKEN_VARIABLE}}}"},
        "allowedEnvVars": [TOKEN_VARIABLE],
        "timeout": timeout,
    }


def is_ours(handler: object) -> bool:
    """Return whether this product, in any version, wrote the entry."""
    if not isinstance(handler, dict):
        return False
    if handler.get("type") == "http":
        return str(handler.get("url", "")).endswith(HTTP_PATH)
    return bool(_OURS.search(" ".join(command_words(handler))))


def command_words(handler: dict[str, Any]) -> list[str]:
    """Return the words of an entry's command; a shell's command line counts as one word."""
    args = handler.get("args")
    return [str(handler.get("command", "")), *(map(str, args) if isinstance(args, list) else ())]
