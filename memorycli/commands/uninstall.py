"""`memory uninstall`: remove from an agent's settings exactly what `memory install` added, or undo all of a join."""

from __future__ import annotations

import contextlib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from capture.local.service import installer
from capture.local.service.installer import InstallError
from memorycli.agents import claude_code, codex, plan
from memorycli.agents import scope as agent_scope
from memorycli.agents.settings_file import SettingsError
from memorycli.delivery import connection
from memorycli.errors import CommandError
from memorycli.installation import environment, layout
from memoryserver.client import home_folder, places
from memoryserver.client.http import ServerError
from memoryserver.common.files import LockTimeoutError
from memoryserver.common.text import readable

_BY_PIP = "to remove the command itself: pip uninstall memorycli (or memoryserver, beside the server)"


def configure(parser: ArgumentParser) -> None:
    """Add the agent and the options."""
    parser.add_argument("agent", nargs="?", choices=sorted(plan.AGENTS), help="the agent")
    parser.add_argument(
        "--scope", choices=claude_code.SCOPES, help="remove only from this scope (default: from every scope)"
    )
    parser.add_argument("--all-projects", action="store_true", help="also from the projects that you are not in now")
    parser.add_argument(
        "--all",
        action="store_true",
        dest="everything",
        help="from every agent and project; also the service of capture, the login, and the command itself",
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would change, change nothing")
    parser.set_defaults(uninstall_parser=parser)


def run(args: Namespace) -> int:
    """Plan every change before the first is applied."""
    if args.everything == bool(args.agent) or (args.everything and args.scope):
        args.uninstall_parser.error("name an agent, or --all for everything that was installed")
    if args.everything:
        return _uninstall_all(args)
    _uninstall_from(args, args.agent)
    return 0


def _uninstall_from(args: Namespace, agent: str) -> None:
    root = places.project_root()
    if args.scope:
        agent_scope.check(agent, args.scope, root)
    scopes = [args.scope] if args.scope else claude_code.SCOPES if agent == claude_code.NAME else codex.SCOPES
    try:
        steps = plan.uninstall(agent, scopes, root, all_projects=args.all_projects or args.everything)
        if args.dry_run:
            print("".join(map(_planned, steps)) or f"nothing to change for {plan.AGENTS[agent]}\n", end="")
            return
        backups = plan.apply(steps)
        others = sorted({record.root for record in plan.elsewhere(agent, scopes, root)})
    except (SettingsError, LockTimeoutError) as error:
        raise CommandError(str(error)) from error
    for step in steps:
        suffix = " and deleted the file, which was empty then" if step.change.after is None else ""
        print(f"removed {step.title} from {readable(str(step.change.path))}{suffix}")
    for backup in backups:
        print(f"  backup: {readable(str(backup))}")
    if not steps:
        print(f"the settings of {plan.AGENTS[agent]} have no entries of memoryserver")
    if others:
        print(f"still installed in {', '.join(others)}; remove it there too with --all-projects")


def _planned(step: plan.Step) -> str:
    """Return what would become of a file, with the changes as a diff."""
    deleted = " and delete the file, which is empty then" if step.change.after is None else ""
    return f"would remove {step.title} from {readable(str(step.change.path))}{deleted}:\n{step.change.diff()}"


def _uninstall_all(args: Namespace) -> int:
    """Remove hooks, service, login and command, in this order; what was recorded stays."""
    for agent in sorted(plan.AGENTS):
        _uninstall_from(args, agent)
    own = layout.running()
    installed = own.installed() if own else None
    if args.dry_run:
        print("\n".join(_planned_for_all(own if installed else None, installed.launcher if installed else "")))
        return 0
    _remove_service()
    _log_out()
    if own is None or installed is None:
        print(_BY_PIP)
    else:
        print("\n".join(environment.remove(own, installed.launcher)))
    print(f"Recorded data is kept in {home_folder.path()}")
    return 0


def _planned_for_all(own: layout.Layout | None, launcher: str) -> Iterator[str]:
    """Yield what would be done besides the changes of settings files."""
    with contextlib.suppress(InstallError):
        service = installer.service_for().path
        if service.exists():
            yield f"would stop the service of capture and remove {service}"
    if url := connection.stored_url():
        yield f"would revoke the token on {url} and remove {connection.credentials_path()}"
    if own is None:
        yield _BY_PIP
    else:
        if environment.is_own_launcher(Path(launcher)):
            yield f"would remove {launcher}"
        yield f"would remove {own.root}"
    yield f"would keep what was recorded in {home_folder.path()}"


def _remove_service() -> None:
    try:
        result = installer.uninstall(installer.service_for())
    except InstallError:  # this system has none
        return
    if result.changed:
        print(f"removed the service {result.path}")


def _log_out() -> None:
    """Revoke the token and forget it; where the server cannot be reached it is forgotten all the same."""
    url, token = connection.stored()
    if not url:
        return
    try:
        connection.client(url, token).delete("/tokens/current")
        print(f"logged out of {url}")
    except ServerError as error:
        print(f"logged out here; the token stays valid until it is revoked on {url} ({error})")
    connection.forget()
