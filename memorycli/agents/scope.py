"""The scopes of which an agent has settings in a folder."""

from __future__ import annotations

from pathlib import Path

from memorycli.agents import codex, plan, targets
from memorycli.errors import UsageError
from memoryserver.common.text import readable


def check(agent: str, scope: str, root: Path) -> None:
    """Raise UsageError for a scope that has no settings of its own in the project at `root`."""
    if agent == codex.NAME and scope not in codex.SCOPES:
        raise UsageError(f"Codex has no {scope} scope; use --scope user or project")
    if scope not in targets.scopes(agent, root):
        path = readable(str(targets.hooks_path(agent, scope, root)))
        raise UsageError(f"{path} has your own settings of {plan.AGENTS[agent]}, for all projects; use --scope user")
