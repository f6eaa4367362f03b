"""`memory install`: put the hooks and the MCP server into an agent's settings."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from memorycli.agents import claude_code, codex, plan, targets
from memorycli.agents.handlers import TOKEN_VARIABLE
from memorycli.agents.settings_file import SettingsError
from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client import places
from memoryserver.client.http import Client
from memoryserver.common.files import LockTimeoutError

HELP = "put the hooks and the MCP server into an agent's settings"
_SCOPES = {
    "user": "all your projects",
    "project": "everybody who works in this project",
    "local": "you, in this project",
}


def configure(parser: ArgumentParser) -> None:
    """The agent and how it is installed."""
    parser.add_argument("agent", nargs="?", choices=sorted(plan.AGENTS), help="without it: what there is to install")
    parser.add_argument(
        "--scope",
        choices=list(_SCOPES),
        default="user",
        help="; ".join(f"{name}: {who}" for name, who in _SCOPES.items()),
    )
    parser.add_argument(
        "--mode",
        choices=["local", "http"],
        default="local",
        help="local: the hook runs `memory hook`; http: the agent posts to the server, for which nothing is installed",
    )
    parser.add_argument("--url", metavar="URL", help="with --mode http: the server, in place of the one logged in to")
    parser.add_argument("--no-mcp", action="store_true", help="leave the MCP server out")
    parser.add_argument("--dry-run", action="store_true", help="change nothing, show what would change")


def run(args: Namespace) -> int:
    """Plan all of it, then do it: a file that cannot be changed leaves every other as it is."""
    if args.agent is None:
        return _survey()
    root = places.project_root()
    server = None if args.no_mcp or args.mode == "http" else plan.server_argv()
    try:
        steps = plan.install(args.agent, args.scope, root, _wanted(args), server)
        if args.dry_run:
            print("".join(step.change.diff() for step in steps) or "nothing to change\n", end="")
            return 0
        backups = plan.carry_out(steps)
    except (SettingsError, LockTimeoutError) as error:
        raise CommandError(str(error)) from error
    _report(args, steps, backups, server)
    return 0


def _wanted(args: Namespace) -> dict[str, Any]:
    if args.agent == codex.NAME:
        if args.mode == "http" or args.scope == "local":
            raise CommandError("Codex has neither HTTP hooks nor a local scope; use --scope user or project")
        return codex.wanted(args.scope)
    known = claude_code.version()
    if args.mode == "local":
        exec_form = claude_code.takes_exec_form(known, windows=os.name == "nt")
        return claude_code.wanted(args.scope, exec_form=exec_form)
    if known and known < claude_code.HTTP_SINCE:
        raise CommandError(f"HTTP hooks need Claude Code 2.1.63, this is {'.'.join(map(str, known))}; update it")
    try:
        return claude_code.wanted_http(Client(args.url or connection.address(), "").url)
    except ValueError as error:
        raise CommandError(str(error)) from error


def _report(args: Namespace, steps: list[plan.Step], backups: list[Path], server: list[str] | None) -> None:
    for step in steps:
        print(f"{step.about} put into {step.change.path}")
    if not steps:
        print(f"{plan.AGENTS[args.agent]} has it all already, nothing was changed")
    for backup in backups:
        print(f"  backup: {backup}")
    if args.mode == "http":
        print(f"The agent takes the token from its environment: export {TOKEN_VARIABLE}=...")
    elif server is None and not args.no_mcp:
        print("without the MCP server; to have it too: pip install 'memoryserver[mcp]', then run this again")
    if not steps:
        return
    if args.agent == codex.NAME:
        print("Codex runs hooks that you trust: start it, and review them with /hooks")
    else:
        print("Sessions that run now go on as they were; start a new one")
    print("To check it: memory doctor. To take it out: memory uninstall " + args.agent)


def _survey() -> int:
    here = [name for name, found in ((claude_code.NAME, claude_code.is_here()), (codex.NAME, codex.is_here())) if found]
    if not here:
        print("Found neither Claude Code nor Codex on this laptop.")
        print("An agent whose hooks run a command can run: memory hook")
    root = places.project_root()
    for agent in here:
        scopes = claude_code.SCOPES if agent == claude_code.NAME else codex.SCOPES
        found = [_SCOPES[scope] for scope in scopes if _is_in(targets.hooks_path(agent, scope, root))]
        print(f"{plan.AGENTS[agent]}: {'installed for ' + ', '.join(found) if found else 'not installed'}")
        if not found:
            print(f"  memory install {agent}")
    return 0


def _is_in(path: Path) -> bool:
    try:
        return bool(plan.present(path))
    except SettingsError as error:
        raise CommandError(str(error)) from error
