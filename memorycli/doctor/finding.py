"""What a check has found, and what all checks look at."""

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
    """Something that is wrong: what, in one sentence, and the command (or the deed) that mends it."""

    what: str
    mend: str


@dataclass(frozen=True)
class HooksFile:
    """A file in which an agent looks for hooks, and this product's entries in it."""

    agent: str
    scope: str
    path: Path
    entries: tuple[hooks.Entry, ...] = ()
    error: str = ""


class View:
    """The laptop as the checks see it; each thing is looked at once, and the server asked only by who needs it."""

    def __init__(self, *, offline: bool = False) -> None:
        self.home = home_folder.path()
        self.root = places.project_root()
        self.offline = offline

    @cached_property
    def server(self) -> Probe:
        """The server's answer."""
        return probe()

    @cached_property
    def agents(self) -> list[str]:
        """The agents that this laptop has."""
        return [one.NAME for one in (claude_code, codex) if one.is_here()]

    @cached_property
    def hook_files(self) -> list[HooksFile]:
        """Every file of hooks that is there, for the current project."""
        found = []
        for agent, scopes in ((claude_code.NAME, claude_code.SCOPES), (codex.NAME, codex.SCOPES)):
            for scope in scopes:
                path = targets.hooks_path(agent, scope, self.root)
                if path.exists() and agent in self.agents:
                    found.append(_hooks_file(agent, scope, path))
        return found

    def settings(self, scope: str) -> dict[str, object]:
        """Claude Code's settings of a scope; empty where they cannot be read, which another check says."""
        try:
            text = settings_file.read(claude_code.settings_path(scope, self.root))
            value = jsontext.parse(text) if text and text.strip() else {}
        except (SettingsError, jsontext.JsonTextError):
            return {}
        return value if isinstance(value, dict) else {}


def _hooks_file(agent: str, scope: str, path: Path) -> HooksFile:
    try:
        return HooksFile(agent, scope, path, tuple(plan.present(path)))
    except SettingsError as error:
        return HooksFile(agent, scope, path, error=str(error).removesuffix("; nothing was changed"))
