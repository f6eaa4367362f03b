"""The result of a check, and the view of the laptop that all checks share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memorycli.agents import claude_code, codex, hooks, jsontext, plan, settings_file, targets
from memorycli.agents.settings_file import SettingsError
from memorycli.delivery.probe import Probe, probe
from memoryserver.client import home_folder, places


@dataclass(frozen=True)
class Finding:
    """A problem: what is wrong, in one sentence, and the command or the action that fixes it."""

    what: str
    fix: str


@dataclass(frozen=True)
class HooksFile:
    """A file from which an agent reads hooks, and the entries of this product in it."""

    agent: str
    scope: str
    path: Path
    entries: tuple[hooks.Entry, ...] = ()
    error: str = ""


class View:
    """The laptop as the checks see it. Each property is computed once; only `server` makes a request."""

    def __init__(self, *, offline: bool = False) -> None:
        self.home = home_folder.path()
        self.root = places.project_root()
        self.project = places.here()
        self.offline = offline

    @cached_property
    def server(self) -> Probe:
        """The state of the server."""
        return probe()

    @cached_property
    def agents(self) -> list[str]:
        """The names of the agents that are installed on this laptop."""
        return [agent.NAME for agent in (claude_code, codex) if agent.is_installed()]

    @cached_property
    def hook_files(self) -> list[HooksFile]:
        """The hooks files that exist, of the user and of the current project."""
        hook_files = []
        for agent in self.agents:
            for scope in targets.scopes(agent, self.root):
                path = targets.hooks_path(agent, scope, self.root)
                if path.exists():
                    hook_files.append(_hooks_file(agent, scope, path))
        return hook_files

    def settings(self, scope: str) -> dict[str, object]:
        """Return Claude Code's settings of a scope; empty if unreadable, which another check reports."""
        try:
            text = settings_file.read(claude_code.settings_path(scope, self.root))
            value = jsontext.parse(text) if text and text.strip() else {}
        except (SettingsError, jsontext.JsonTextError):
            return {}
        return value if isinstance(value, dict) else {}


def _hooks_file(agent: str, scope: str, path: Path) -> HooksFile:
    try:
        return HooksFile(agent, scope, path, tuple(plan.own_hooks(path)))
    except SettingsError as error:
        return HooksFile(agent, scope, path, error=str(error).removesuffix("; nothing was changed"))
