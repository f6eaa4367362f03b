"""Is the memory in the agents: are the hooks there, once, and can they run?"""

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
    """A settings file that is damaged is one that the agent ignores, hooks and all."""
    for file in view.hook_files:
        if file.error:
            yield Finding(file.error, f"mend {file.path}; copies of before lie in {view.home / settings_file.BACKUPS}")


def hooks_there(view: View) -> Iterator[Finding]:
    """Each agent of this laptop tells the memory of all events."""
    for agent in view.agents:
        files = [file for file in view.hook_files if file.agent == agent and file.entries]
        title = plan.AGENTS[agent]
        if not files and not (agent == claude_code.NAME and _plugins(view)):
            if not any(file.error for file in view.hook_files if file.agent == agent):
                yield Finding(f"{title} is on this laptop, and has no hooks of memoryserver", f"memory install {agent}")
            continue
        for file in files:
            events = {entry.event for entry in file.entries}
            if any(entry.handler.get("type") == "http" for entry in file.entries):
                events |= set(claude_code.NO_HTTP)
            if missing := sorted(_EVENTS[agent] - events):
                yield Finding(
                    f"{file.path} lacks the hooks of {', '.join(missing)}", f"memory install {agent}{_scope(file)}"
                )


def hooks_once(view: View) -> Iterator[Finding]:
    """An event that is told twice costs twice, and what the agent is told it is told twice."""
    for file in view.hook_files:
        events = [entry.event for entry in file.entries]
        if twice := sorted({event for event in events if events.count(event) > 1}):
            what = f"{file.path} has two hooks of memoryserver at {', '.join(twice)}"
            yield Finding(what, f"memory install {file.agent}{_scope(file)}")
    for agent in view.agents:
        files = [file for file in view.hook_files if file.agent == agent and file.entries]
        if len(files) > 1:
            where = " and ".join(str(file.path) for file in files)
            mend = f"memory uninstall {agent}{_scope(files[-1]) or ' --scope user'}"
            yield Finding(f"hooks of memoryserver are in {where}: each event is told more than once", mend)
        elif files and agent == claude_code.NAME and (plugins := _plugins(view)):
            where = f"{files[0].path} and in the plugin {plugins[0]}"
            what = f"hooks of memoryserver are in {where}; the plugin gives way, which costs a process each time"
            yield Finding(what, f"memory uninstall {agent}, or: claude plugin disable {plugins[0]}")


def hooks_run(view: View) -> Iterator[Finding]:
    """The program that a hook names is there: an interpreter goes with its virtual environment."""
    for file in view.hook_files:
        gone = sorted({path for entry in file.entries for path in _gone(entry.handler)})
        for path in gone:
            yield Finding(f"the hooks in {file.path} run {path}, which is not there", _again(file))
        if any(entry.handler.get("command") == handlers.SHARED_COMMAND for entry in file.entries) and not _on_path():
            what = f"the hooks in {file.path} run `memory`, which is not on the search path, so they do nothing"
            yield Finding(what, "pip install memoryserver, in an environment whose bin folder is on PATH")


def hooks_allowed(view: View) -> Iterator[Finding]:
    """The agent's own switch for all hooks."""
    for scope in claude_code.SCOPES:
        if claude_code.NAME in view.agents and view.settings(scope).get("disableAllHooks") is True:
            path = claude_code.settings_path(scope, view.root)
            yield Finding(f'{path} has "disableAllHooks": true: no hook runs', f'take "disableAllHooks" out of {path}')


def http_token(view: View) -> Iterator[Finding]:
    """Hooks that post to the server find their token in the environment."""
    posting = [file for file in view.hook_files if any(entry.handler.get("type") == "http" for entry in file.entries)]
    if posting and not os.environ.get(handlers.TOKEN_VARIABLE):
        what = f"the hooks in {posting[0].path} post to the server, and {handlers.TOKEN_VARIABLE} is not set here"
        yield Finding(what, f"export {handlers.TOKEN_VARIABLE}=... where the agent is started")


def mcp_server(view: View) -> Iterator[Finding]:
    """A registered MCP server can be started."""
    for agent in view.agents:
        for scope in claude_code.SCOPES if agent == claude_code.NAME else codex.SCOPES:
            target = targets.server_of(agent, scope, view.root, [])
            try:
                entry = _registered(agent, scope, view)
            except (SettingsError, jsontext.JsonTextError) as error:
                said = str(error) if str(target.path) in str(error) else f"{target.path} {error}"
                yield Finding(said, f"mend {target.path}")
                continue
            for path in _gone(entry) if entry else ():
                what = f"the MCP server in {target.path} is started by {path}, which is not there"
                yield Finding(what, f"memory install {agent}{'' if scope == 'user' else f' --scope {scope}'}")


def _registered(agent: str, scope: str, view: View) -> dict[str, Any] | None:
    path = targets.server_of(agent, scope, view.root, []).path
    text = settings_file.read(path)
    if not text or not text.strip():
        return None
    if agent == codex.NAME:
        return servers.toml_entry(text)
    value: Any = jsontext.parse(text)
    for key in (*claude_code.servers_path(scope, view.root)[1], servers.SERVERS, servers.NAME):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def _plugins(view: View) -> list[str]:
    found: dict[str, bool] = {}
    for scope in claude_code.SCOPES:  # what is nearer to the project decides
        enabled = view.settings(scope).get("enabledPlugins")
        for name, on in enabled.items() if isinstance(enabled, dict) else ():
            found[name] = on is True
    return [name for name, on in found.items() if on and name.startswith(PLUGIN)]


def _gone(handler: dict[str, Any]) -> list[str]:
    """The files that an entry's command names by an absolute path and that are not there."""
    words = handlers.words(handler)
    if len(words) == 1:
        try:
            words = shlex.split(words[0])
        except ValueError:
            return []
    return [word for word in words if os.path.isabs(word) and not os.path.exists(word)]


def _on_path() -> bool:
    return shutil.which("memory") is not None


def _scope(file: HooksFile) -> str:
    return "" if file.scope == "user" else f" --scope {file.scope}"


def _again(file: HooksFile) -> str:
    return f"memory install {file.agent}{_scope(file)}"
