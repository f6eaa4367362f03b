"""What an install or an uninstall would do, file by file, before any of it is done."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorycli.agents import claude_code, codex, handlers, hooks, installed, jsontext, settings_file, targets
from memorycli.agents.installed import Record
from memorycli.agents.settings_file import Change, SettingsError
from memorycli.agents.targets import Target
from memoryserver.client import home_folder
from memoryserver.common import files

AGENTS = {claude_code.NAME: claude_code.TITLE, codex.NAME: codex.TITLE}


@dataclass(frozen=True)
class Step:
    """One file: how it changes, what it is without what is put in, and what is kept of it in the list.

    `is_out`: something is taken out, not put in.
    """

    change: Change
    record: Record
    base: str | None = None
    is_out: bool = False

    @property
    def about(self) -> str:
        """What is put in or taken out, in two words."""
        return {"hooks": "hooks", "mcp": "MCP server"}[self.record.part]


def install(agent: str, scope: str, root: Path, wanted: dict[str, Any], server: list[str] | None) -> list[Step]:
    """The steps that put the entries `wanted` in, and with `server` (its command line) the MCP server.

    What is as it should be is no step. Raises SettingsError where a file cannot take it; nothing is changed then.
    """
    steps = [_put(targets.hooks_of(agent, scope, root, wanted))]
    if server is not None:
        steps.append(_put(targets.server_of(agent, scope, root, server)))
    return [step for step in steps if step]


def uninstall(agent: str, scopes: Collection[str], root: Path) -> list[Step]:
    """The steps that take out whatever is in, of this project and of those that the list names. Raises SettingsError.

    What was put in last goes first, so that a file which took two things becomes again what it was before the first.
    """
    order = [(one.scope, one.path) for one in installed.records(agent)]
    found = {(scope, str(root)) for scope in scopes}
    found |= {(one.scope, one.root or str(root)) for one in installed.records(agent) if one.scope in scopes}
    known = {
        (target.record.scope, target.record.path): target
        for scope, folder in found
        for target in (
            targets.hooks_of(agent, scope, Path(folder), {}),
            targets.server_of(agent, scope, Path(folder), []),
        )
    }
    texts: dict[str, str | None] = {}
    steps = []
    for key in sorted(known, key=lambda one: (order.index(one) if one in order else len(order), one), reverse=True):
        path = known[key].record.path
        step = _take(known[key], texts[path] if path in texts else settings_file.read(known[key].path))
        if step:
            steps.append(step)
            texts[path] = step.change.after
    return steps


def carry_out(steps: Collection[Step]) -> list[Path]:
    """Do the steps, one process at a time; the backups that were made.

    Raises SettingsError, LockTimeoutError and OSError.
    """
    files.make_folder(home_folder.path())
    backups = []
    with files.lock(home_folder.path() / ".install.lock"):
        for step in steps:
            backup = settings_file.apply(step.change)
            if backup:
                backups.append(backup)
            if step.is_out:
                installed.forget(step.record)
                _remove_empty_folder(step)
            elif step.change.after is not None:
                installed.note(step.record, step.base, step.change.after)
    return backups


def _put(target: Target) -> Step | None:
    current = settings_file.read(target.path)
    with _named(target.path):
        if current is not None and current.strip() and target.holds(current):
            return None
        kept = installed.find(target.record.agent, target.record.scope, target.path)
        base = _base(target, kept, current)
        keep = _keep(target, base)
        after = target.put(base if base and base.strip() else target.empty)
    record = Record(**vars(target.record) | {"keep": keep})
    shared = target.record.scope == "project"
    return Step(Change(target.path, current, after, shared), record, base)


def _take(target: Target, current: str | None) -> Step | None:
    if current is None or not current.strip():
        return None
    kept = installed.find(target.record.agent, target.record.scope, target.path)
    with _named(target.path):
        after = _base(target, kept, current)
    if after is not None and kept and not kept.base and after.strip() in ("{}", ""):
        after = None  # the file was made for what is now out again
    if after == current:
        return None
    return Step(Change(target.path, current, after), kept or target.record, is_out=True)


def _base(target: Target, kept: Record | None, current: str | None) -> str | None:
    """The file's text without what was put in."""
    if kept is not None:
        untouched, before = installed.base_text(kept, current)
        if untouched:
            return before
    if current is None or not current.strip():
        return current
    return target.take(current, kept.keep if kept else ())


def _keep(target: Target, base: str | None) -> list[str]:
    """Which containers are there before anything is put in."""
    return target.containers(base) if base and base.strip() else []


def _remove_empty_folder(step: Step) -> None:
    """A project's folder that was made for this file alone goes with it."""
    folder = Path(step.record.path).parent
    if step.change.after is None and step.record.scope != "user" and not os.listdir(folder):
        folder.rmdir()


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in what goes wrong within the block."""
    try:
        yield
    except (jsontext.JsonTextError, SettingsError) as error:
        raise SettingsError(f"{path} {error}; nothing was changed") from error


def present(path: Path) -> list[hooks.Entry]:
    """This product's entries in a file of hooks; none where it cannot be read. Raises SettingsError if damaged."""
    text = settings_file.read(path)
    if text is None or not text.strip():
        return []
    with _named(path):
        return hooks.ours(jsontext.parse(text))


def server_argv() -> list[str] | None:
    """The command line of the MCP server, None where its package is not installed."""
    from importlib.util import find_spec

    return handlers.server_argv() if find_spec("mcp") else None
