"""The files to edit: how entries are added to each, removed from it and recognised in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorycli.agents import claude_code, codex, hooks, jsontext, servers
from memorycli.agents.installed import Record


@dataclass(frozen=True)
class Target:
    """A file and the functions that edit its text.

    `add` returns the text with the entries, `remove` without them (its second argument names containers to keep),
    `is_present` whether the entries are in it as they must be, `containers` the containers to keep.
    """

    record: Record
    add: Callable[[str], str]
    remove: Callable[[str, Collection[str]], str]
    is_present: Callable[[str], bool]
    containers: Callable[[str], list[str]]
    empty: str = "{}\n"

    @property
    def path(self) -> Path:
        """The path of the file."""
        return Path(self.record.path)


def hooks_target(agent: str, scope: str, root: Path, entries: dict[str, Any]) -> Target:
    """Return the file of the agent's hooks in a scope, and how to edit the hooks `entries` (by event) in it."""
    return Target(
        Record(agent, scope, "hooks", str(hooks_path(agent, scope, root)), _root_of(scope, root)),
        add=lambda text: hooks.add(text, entries),
        remove=hooks.remove,
        is_present=lambda text: hooks.has_exactly(jsontext.parse(text), entries),
        containers=hooks.empty_containers,
    )


def hooks_path(agent: str, scope: str, root: Path) -> Path:
    """Return the file of the agent's hooks in a scope."""
    if agent == claude_code.NAME:
        return claude_code.settings_path(scope, root)
    return codex.folder(scope, root) / "hooks.json"


def scopes(agent: str, root: Path) -> list[str]:
    """Return the agent's scopes for the project at `root`, without those whose hooks file is that of an earlier one.

    In the home folder the project's settings are the user's.
    """
    all_scopes = claude_code.SCOPES if agent == claude_code.NAME else codex.SCOPES
    first: dict[str, str] = {}
    for scope in all_scopes:
        first.setdefault(os.path.realpath(hooks_path(agent, scope, root)), scope)
    return list(first.values())


def server_target(agent: str, scope: str, root: Path, argv: list[str]) -> Target:
    """Return the file of the MCP servers in a scope, and how to edit the server `argv` (its command line) in it."""
    if agent == codex.NAME:
        return _toml_target(scope, root, argv)
    path, above = claude_code.servers_path(scope, root)
    entry = servers.entry(["memory", "mcp"] if scope == "project" else argv) if argv else {}
    return Target(
        Record(agent, scope, "mcp", str(path), _root_of(scope, root)),
        add=lambda text: servers.add(text, above, entry),
        remove=lambda text, keep: servers.remove(text, above, keep=len(keep)),
        is_present=lambda text: servers.json_entry(text, above) == entry,
        containers=lambda text: servers.containers(text, above),
    )


def _toml_target(scope: str, root: Path, argv: list[str]) -> Target:
    path = codex.folder(scope, root) / "config.toml"
    words = ["memory", "mcp"] if scope == "project" else argv
    return Target(
        Record(codex.NAME, scope, "mcp", str(path), _root_of(scope, root)),
        add=lambda text: servers.add_toml(text, words),
        remove=lambda text, _keep: servers.remove_toml(text),
        is_present=lambda text: servers.toml_entry(text) == {"command": words[0], "args": words[1:]},
        containers=lambda _text: [],
        empty="",
    )


def _root_of(scope: str, root: Path) -> str:
    return "" if scope == "user" else str(root)
