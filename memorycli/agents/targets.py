"""The files that something is put into: how it is put in, how taken out, and whether it is there."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorycli.agents import claude_code, codex, hooks, jsontext, servers
from memorycli.agents.installed import Record


@dataclass(frozen=True)
class Target:
    """A file that something is put into: how, and how it is taken out."""

    record: Record
    put: Callable[[str], str]
    take: Callable[[str, Collection[str]], str]
    holds: Callable[[str], bool]
    containers: Callable[[str], list[str]]
    empty: str = "{}\n"

    @property
    def path(self) -> Path:
        """Where the file is."""
        return Path(self.record.path)


def hooks_of(agent: str, scope: str, root: Path, wanted: dict[str, Any]) -> Target:
    at = (
        claude_code.settings_path(scope, root)
        if agent == claude_code.NAME
        else codex.folder(scope, root) / "hooks.json"
    )
    return Target(
        Record(agent, scope, "hooks", str(at), _root_of(scope, root)),
        put=lambda text: hooks.put(text, wanted),
        take=hooks.take,
        holds=lambda text: hooks.are_in(jsontext.parse(text), wanted),
        containers=hooks.empty_containers,
    )


def hooks_path(agent: str, scope: str, root: Path) -> Path:
    """The file of the agent's hooks in a scope."""
    if agent == claude_code.NAME:
        return claude_code.settings_path(scope, root)
    return codex.folder(scope, root) / "hooks.json"


def server_of(agent: str, scope: str, root: Path, argv: list[str]) -> Target:
    """The file in which MCP servers are registered, and that of the command line `argv` in it."""
    if agent == codex.NAME:
        return _toml_of(scope, root, argv)
    at, above = claude_code.servers_path(scope, root)
    entry = servers.entry(["memory", "mcp"] if scope == "project" else argv) if argv else {}
    return Target(
        Record(agent, scope, "mcp", str(at), _root_of(scope, root)),
        put=lambda text: servers.put(text, above, entry),
        take=lambda text, keep: servers.take(text, above, keep=len(keep)),
        holds=lambda text: servers.put(text, above, entry) == text,
        containers=lambda text: servers.containers(text, above),
    )


def _toml_of(scope: str, root: Path, argv: list[str]) -> Target:
    at = codex.folder(scope, root) / "config.toml"
    words = ["memory", "mcp"] if scope == "project" else argv
    return Target(
        Record(codex.NAME, scope, "mcp", str(at), _root_of(scope, root)),
        put=lambda text: servers.put_toml(text, words),
        take=lambda text, _keep: servers.take_toml(text),
        holds=lambda text: servers.toml_entry(text) == {"command": words[0], "args": words[1:]},
        containers=lambda _text: [],
        empty="",
    )


def _root_of(scope: str, root: Path) -> str:
    return "" if scope == "user" else str(root)
