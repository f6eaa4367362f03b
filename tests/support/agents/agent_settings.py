"""Settings files of agents, in a home folder of the test's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memorycli.agents import hooks
from tests.support.laptops.laptop import Laptop

STYLES = {
    "two blanks": '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  }\n}\n',
    "tabs": '{\n\t"hooks": {\n\t\t"Stop": []\n\t},\n\t"x": [1, 2, 3]\n}',
    "four blanks, CRLF": '{\r\n    "permissions": {"allow": ["Read", "Bash(ls:*)"]},\r\n    "hooks": {}\r\n}\r\n',
    "one line": '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
    "no members": "{}",
    "blank": "{ }\n",
    "empty file": "",
    "only a line break": "\n",
    "no hooks": '{\n   "ü": "ü\\u00fc"\n}',
}


def isolated_laptop(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    """A laptop whose user has an empty home folder and no agent on PATH."""
    user = root / "user ü"
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Laptop(root, monkeypatch, capsys)


def claude_settings() -> Path:
    """The path of Claude Code's settings in the home folder, which has the folder but no file."""
    path = Path.home() / ".claude" / "settings.json"
    path.parent.mkdir()
    return path


def events_of(path: Path) -> list[str]:
    """The events with an entry of ours, each as often as it has one."""
    return sorted(entry.event for entry in hooks.own_entries(json.loads(path.read_text())))


def tree(folder: Path) -> dict[str, bytes]:
    """The contents of all files below `folder`, by relative path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
