"""Plan an install or an uninstall file by file, then apply it."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
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
    """The change of one file: `record` is its entry in the list of installed files.

    `base` is its text without the added entries. `removes`: entries are removed, not added.
    """

    change: Change
    record: Record
    base: str | None = None
    removes: bool = False

    @property
    def title(self) -> str:
        """What is added or removed: "hooks" or "MCP server"."""
        return {"hooks": "hooks", "mcp": "MCP server"}[self.record.part]


def install(agent: str, scope: str, root: Path, entries: dict[str, Any], server: list[str] | None) -> list[Step]:
    """Return the steps that add the hooks `entries` and, with `server` (its command line), the MCP server.

    Files that are up to date have no step. Raises SettingsError if a file cannot be edited; nothing is changed then.
    """
    steps = [_addition(targets.hooks_target(agent, scope, root, entries))]
    if server is not None:
        steps.append(_addition(targets.server_target(agent, scope, root, server)))
    return [step for step in steps if step]


def uninstall(agent: str, scopes: Collection[str], root: Path, *, all_projects: bool = False) -> list[Step]:
    """Return the steps that remove every entry in `scopes` of the project at `root`.

    With `all_projects` those of the other projects in the list of installs too. The newest is removed first, so a file
    with two entries is restored to its text before the first. Raises SettingsError.
    """
    roots = {str(root)} | ({record.root for record in elsewhere(agent, scopes, root)} if all_projects else set())
    texts: dict[str, str | None] = {}
    steps = []
    for target in _removable(agent, scopes, sorted(roots)):
        path = target.record.path
        step = _removal(target, texts[path] if path in texts else settings_file.read(target.path))
        if step:
            steps.append(step)
            texts[path] = step.change.after
    return steps


def elsewhere(agent: str, scopes: Collection[str], root: Path) -> list[Record]:
    """Return the records of what was installed in `scopes` of projects other than that at `root`."""
    others = [record for record in installed.records(agent) if record.root not in ("", str(root))]
    return [record for record in others if record.scope in scopes and os.path.lexists(record.path)]


def _removable(agent: str, scopes: Collection[str], roots: Collection[str]) -> list[Target]:
    """Return what may have entries to remove, the newest first.

    In the home folder two scopes have the same files: the entries are of the scope that was installed.
    """
    order = [_place(record) for record in installed.records(agent)]
    candidates: dict[tuple[str, ...], Target] = {}
    for scope, folder in itertools.product(scopes, map(Path, roots)):
        for target in (
            targets.hooks_target(agent, scope, folder, {}),
            targets.server_target(agent, scope, folder, []),
        ):
            record = target.record
            key = (record.part, os.path.realpath(record.path), record.root if scope == "local" else "")
            if key not in candidates or _place(record) in order:
                candidates[key] = target

    def age(target: Target) -> tuple[int, tuple[str, ...]]:
        place = _place(target.record)
        return (order.index(place) if place in order else len(order), place)

    return sorted(candidates.values(), key=age, reverse=True)


def _place(record: Record) -> tuple[str, str, str]:
    return record.scope, record.path, record.root


def apply(steps: Collection[Step]) -> list[Path]:
    """Apply the steps under a lock and return the backups that were created.

    Raises SettingsError, LockTimeoutError and OSError.
    """
    files.make_folder(home_folder.path())
    backups = []
    with files.lock(home_folder.path() / ".install.lock"):
        for step in steps:
            backup = settings_file.apply(step.change)
            if backup:
                backups.append(backup)
            if step.removes:
                installed.remove(step.record)
                _remove_empty_folder(step)
            elif step.change.after is not None:
                installed.add(step.record, step.base, step.change.after)
    return backups


def _addition(target: Target) -> Step | None:
    current = settings_file.read(target.path)
    with _naming(target.path):
        if current is not None and current.strip() and target.is_present(current):
            return None
        record = installed.find(target.record)
        base = _base(target, record, current)
        keep = _containers(target, base)
        after = target.add(base if base and base.strip() else target.empty)
    new_record = Record(**vars(target.record) | {"keep": keep})
    shared = target.record.scope == "project"
    return Step(Change(target.path, current, after, shared), new_record, base)


def _removal(target: Target, current: str | None) -> Step | None:
    if current is None or not current.strip():
        return None
    record = installed.find(target.record)
    with _naming(target.path):
        after = _base(target, record, current)
    if after is not None and record and not record.base and after.strip() in ("{}", ""):
        after = None  # the file was created for the entries that are removed now
    if after == current:
        return None
    return Step(Change(target.path, current, after), record or target.record, removes=True)


def _base(target: Target, record: Record | None, current: str | None) -> str | None:
    """Return the file's text without the added entries."""
    if record is not None:
        unchanged, before = installed.base_text(record, current)
        if unchanged:
            return before
    if current is None or not current.strip():
        return current
    return target.remove(current, record.keep if record else ())


def _containers(target: Target, base: str | None) -> list[str]:
    """Return the containers that exist before anything is added."""
    return target.containers(base) if base and base.strip() else []


def _remove_empty_folder(step: Step) -> None:
    """Remove a project's folder if the removed file was the last in it."""
    folder = Path(step.record.path).parent
    if step.change.after is None and step.record.scope != "user" and not os.listdir(folder):
        folder.rmdir()


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Add the file's name to errors that are raised in the block."""
    try:
        yield
    except (jsontext.JsonTextError, SettingsError) as error:
        raise SettingsError(f"{path} {error}; nothing was changed") from error


def own_hooks(path: Path) -> list[hooks.Entry]:
    """Return this product's entries in a hooks file; none if there is no file. Raises SettingsError if damaged."""
    text = settings_file.read(path)
    if text is None or not text.strip():
        return []
    with _naming(path):
        return hooks.own_entries(jsontext.parse(text))


def server_argv() -> list[str] | None:
    """Return the command line of the MCP server, None if its package is not installed."""

    return handlers.server_argv() if find_spec("mcp") else None
