"""Checks of the agents' settings: the hooks and the MCP server in them."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from typing import Any

from memorycli.agents import claude_code, codex, handlers, jsontext, plan, servers, settings_file, targets
from memorycli.agents.settings_file import SettingsError
from memorycli.doctor.finding import Finding, HooksFile, View

PLUGIN = "memoryserver@"
_EVENTS = {claude_code.NAME: set(claude_code.TIMEOUTS), codex.NAME: set(codex.TIMEOUTS)}


def settings_readable(view: View) -> Iterator[Finding]:
    """Check that the settings files can be parsed: an agent ignores a damaged one, with all hooks in it."""
    for file in view.hook_files:
        if file.error:
            yield Finding(file.error, f"edit {file.path}; backups are in {view.home / settings_file.BACKUPS}")


def hooks_installed(view: View) -> Iterator[Finding]:
    """Check that each agent on this laptop has a hook for every event."""
    for agent in view.agents:
        files = [file for file in view.hook_files if file.agent == agent and file.entries]
        title = plan.AGENTS[agent]
        if not files and not (agent == claude_code.NAME and _enabled_plugins(view)):
            if not any(file.error for file in view.hook_files if file.agent == agent):
                yield Finding(f"{title} is installed, but has no hooks of memoryserver", f"memory install {agent}")
            continue
        for file in files:
            events = {entry.event for entry in file.entries}
            if any(entry.handler.get("type") == "http" for entry in file.entries):
                events |= set(claude_code.NO_HTTP)
            if missing := sorted(_EVENTS[agent] - events):
                yield Finding(f"{file.path} has no hooks for {', '.join(missing)}", _install_command(file))


def hooks_not_duplicated(view: View) -> Iterator[Finding]:
    """Check that no event has two hooks: the agent would run both and read every message twice."""
    for file in view.hook_files:
        events = [entry.event for entry in file.entries]
        if duplicates := sorted({event for event in events if events.count(event) > 1}):
            what = f"{file.path} has two hooks of memoryserver for {', '.join(duplicates)}"
            yield Finding(what, _install_command(file))
    for agent in view.agents:
        files = [file for file in view.hook_files if file.agent == agent and file.entries]
        if len(files) > 1:
            where = " and ".join(str(file.path) for file in files)
            fix = f"memory uninstall {agent}{_scope_option(files[-1]) or ' --scope user'}"
            yield Finding(f"hooks of memoryserver are in {where}: each event runs more than one", fix)
        elif files and agent == claude_code.NAME and (plugins := _enabled_plugins(view)):
            where = f"{files[0].path} and in the plugin {plugins[0]}"
            what = f"hooks of memoryserver are in {where}; the plugin's do nothing, but each event starts them"
            yield Finding(what, f"memory uninstall {agent}, or: claude plugin disable {plugins[0]}")


def hooks_can_run(view: View) -> Iterator[Finding]:
    """Check that the program of each hook exists: it is lost when its virtual environment is deleted."""
    for file in view.hook_files:
        missing = sorted({path for entry in file.entries for path in _missing_files(entry.handler)})
        for path in missing:
            yield Finding(f"the hooks in {file.path} run {path}, which does not exist", _install_command(file))
        if any(entry.handler.get("command") == handlers.SHARED_COMMAND for entry in file.entries) and not _on_path():
            what = f"the hooks in {file.path} run `memory`, which is not on PATH, so they do nothing"
            yield Finding(what, "pip install memorycli, in an environment whose bin folder is on PATH")


def hooks_enabled(view: View) -> Iterator[Finding]:
    """Check that the agent's settings do not disable all hooks."""
    for scope in targets.scopes(claude_code.NAME, view.root):
        if claude_code.NAME in view.agents and view.settings(scope).get("disableAllHooks") is True:
            path = claude_code.settings_path(scope, view.root)
            yield Finding(f'{path} has "disableAllHooks": true: no hook runs', f'remove "disableAllHooks" from {path}')


def http_token_set(view: View) -> Iterator[Finding]:
    """Check that the token of hooks that post to the server is in the environment."""
    posting = [file for file in view.hook_files if any(entry.handler.get("type") == "http" for entry in file.entries)]
    if posting and not os.environ.get(handlers.TOKEN_VARIABLE):
        what = f"the hooks in {posting[0].path} post to the server, and {handlers.TOKEN_VARIABLE} is not set here"
        yield Finding(what, f"export {handlers.TOKEN_VARIABLE}=... where the agent is started")


def mcp_server_can_run(view: View) -> Iterator[Finding]:
    """Check that the program of each registered MCP server exists."""
    for agent in view.agents:
        for scope in targets.scopes(agent, view.root):
            target = targets.server_target(agent, scope, view.root, [])
            try:
                entry = _registered_server(agent, scope, view)
            except (SettingsError, jsontext.JsonTextError) as error:
                message = str(error) if str(target.path) in str(error) else f"{target.path} {error}"
                yield Finding(message, f"edit {target.path}")
                continue
            for path in _missing_files(entry) if entry else ():
                what = f"the MCP server in {target.path} runs {path}, which does not exist"
                yield Finding(what, f"memory install {agent}{'' if scope == 'user' else f' --scope {scope}'}")


def _registered_server(agent: str, scope: str, view: View) -> dict[str, Any] | None:
    path = targets.server_target(agent, scope, view.root, []).path
    text = settings_file.read(path)
    if not text or not text.strip():
        return None
    if agent == codex.NAME:
        return servers.toml_entry(text)
    return servers.json_entry(text, claude_code.servers_path(scope, view.root)[1])


def _enabled_plugins(view: View) -> list[str]:
    states: dict[str, bool] = {}
    for scope in claude_code.SCOPES:  # the settings of a later scope take precedence
        enabled = view.settings(scope).get("enabledPlugins")
        for name, value in enabled.items() if isinstance(enabled, dict) else ():
            states[name] = value is True
    return [name for name, is_enabled in states.items() if is_enabled and name.startswith(PLUGIN)]


def _missing_files(handler: dict[str, Any]) -> list[str]:
    """Return the absolute paths in an entry's command that do not exist."""
    words = handlers.command_words(handler)
    if len(words) == 1:
        try:
            words = shlex.split(words[0])
        except ValueError:
            return []
    return [word for word in words if os.path.isabs(word) and not os.path.exists(word)]


def _on_path() -> bool:
    return shutil.which("memory") is not None


def _scope_option(file: HooksFile) -> str:
    return "" if file.scope == "user" else f" --scope {file.scope}"


def _install_command(file: HooksFile) -> str:
    return f"memory install {file.agent}{_scope_option(file)}"
