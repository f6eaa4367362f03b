"""`memory install`: add the hooks and the MCP server to an agent's settings."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from memorycli.agents import claude_code, codex, plan, targets
from memorycli.agents import scope as agent_scope
from memorycli.agents.handlers import TOKEN_VARIABLE
from memorycli.agents.settings_file import SettingsError
from memorycli.delivery import connection
from memorycli.errors import CommandError, UsageError
from memorycli.installation import layout, packages
from memorycli.installation.layout import MCP_PACKAGE
from memorycli.installation.versions import InstallationError
from memorycli.rendering.terminal import agreed
from memoryserver.client import places
from memoryserver.common.files import LockTimeoutError
from memoryserver.common.text import readable

_SCOPES = {
    "user": "all your projects",
    "project": "everyone who works in this project",
    "local": "you, in this project only",
}


def configure(parser: ArgumentParser) -> None:
    """Add the agent and the options."""
    parser.add_argument(
        "agent",
        nargs="?",
        choices=sorted(plan.AGENTS),
        help="by default, list the agents on this laptop and what is installed",
    )
    parser.add_argument(
        "--scope",
        choices=list(_SCOPES),
        default="user",
        help="; ".join(f"{name}: for {who}" for name, who in _SCOPES.items()) + " (default: user)",
    )
    parser.add_argument(
        "--mode",
        choices=["local", "http"],
        default="local",
        help="local: the hooks run `memory hook`; http: the agent posts events to the server (default: local)",
    )
    parser.add_argument(
        "--url", metavar="URL", help="with --mode http: the server (default: the one you are logged in to)"
    )
    parser.add_argument("--no-mcp", action="store_true", help="do not add the MCP server")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, change nothing")


def run(args: Namespace) -> int:
    """Plan every change before the first is applied: if one file cannot be edited, none is changed."""
    if args.agent is None:
        return _list_agents()
    root = places.project_root()
    hook_entries = _hook_entries(args)
    agent_scope.check(args.agent, args.scope, root)
    server = None if args.no_mcp or args.mode == "http" else _server_argv(args)
    try:
        steps = plan.install(args.agent, args.scope, root, hook_entries, server)
        if args.dry_run:
            print("".join(step.change.diff() for step in steps) or "nothing to change\n", end="")
            return 0
        backups = plan.apply(steps)
    except (SettingsError, LockTimeoutError) as error:
        raise CommandError(str(error)) from error
    _report(args, steps, backups, server)
    return 0


def _server_argv(args: Namespace) -> list[str] | None:
    """Return the command line of the MCP server, None if its package is missing.

    On a laptop that joined by the server's line, which needs no package index, a person is asked whether to install it.
    """
    own = layout.running()
    if plan.server_argv() is None and own and sys.stdin.isatty() and not args.dry_run:
        question = (
            f"The tools for agents (MCP) need the package {MCP_PACKAGE} from pip's index, some 70 MB. Install it?"
        )
        try:
            if agreed(question):
                print("Installing it ...", flush=True)
                packages.add_mcp(own)
        except InstallationError as error:
            print(f"memory: {readable(str(error))}", file=sys.stderr)
    return plan.server_argv()


def _hook_entries(args: Namespace) -> dict[str, Any]:
    if args.agent == codex.NAME:
        if args.mode == "http" or args.scope == "local":
            raise UsageError("Codex has neither HTTP hooks nor a local scope; use --scope user or project")
        return codex.hook_entries(args.scope)
    version = claude_code.version()
    if args.mode == "local":
        exec_form = claude_code.supports_exec_form(version, windows=os.name == "nt")
        return claude_code.hook_entries(args.scope, exec_form=exec_form)
    if version and version < claude_code.HTTP_SINCE:
        raise CommandError(f"HTTP hooks need Claude Code 2.1.63, this is {'.'.join(map(str, version))}; update it")
    url = connection.typed_address(args.url) if args.url else connection.client(connection.address(), "").url
    return claude_code.http_hook_entries(url)


def _report(args: Namespace, steps: list[plan.Step], backups: list[Path], server: list[str] | None) -> None:
    for step in steps:
        print(f"added {step.title} to {readable(str(step.change.path))}")
    if not steps:
        print(f"{plan.AGENTS[args.agent]} is up to date, nothing was changed")
    for backup in backups:
        print(f"  backup: {readable(str(backup))}")
    if args.mode == "http":
        print(f"Set the token in the environment of the agent: export {TOKEN_VARIABLE}=...")
    elif server is None and not args.no_mcp:
        own = layout.running()
        again = f" && {own.command()} install {args.agent} --scope {args.scope}" if own else ", then run this again"
        print(f"The MCP server was not added: its package is missing. Run {layout.mcp_command()}{again}")
    if not steps:
        return
    if args.agent == codex.NAME:
        print("Codex runs only hooks that you trust: start it and review them with /hooks")
    else:
        print("Running sessions do not use the hooks yet: start a new one")
    print("To check: memory doctor. To remove: memory uninstall " + args.agent)


def _list_agents() -> int:
    agents = [agent.NAME for agent in (claude_code, codex) if agent.is_installed()]
    if not agents:
        print("Found neither Claude Code nor Codex on this laptop.")
        print("For another agent with hooks, use the command: memory hook")
    root = places.project_root()
    for agent in agents:
        scopes = [scope for scope in targets.scopes(agent, root) if _has_hooks(targets.hooks_path(agent, scope, root))]
        installed_for = ", ".join(_SCOPES[scope] for scope in scopes)
        print(f"{plan.AGENTS[agent]}: {'installed for ' + installed_for if installed_for else 'not installed'}")
        if not installed_for:
            print(f"  memory install {agent}")
    return 0


def _has_hooks(path: Path) -> bool:
    try:
        return bool(plan.own_hooks(path))
    except SettingsError as error:
        raise CommandError(str(error)) from error
