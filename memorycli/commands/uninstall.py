"""`memory uninstall`: remove from an agent's settings exactly what `memory install` added."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from memorycli.agents import claude_code, codex, plan
from memorycli.agents.settings_file import SettingsError
from memorycli.errors import CommandError
from memoryserver.client import places
from memoryserver.common.files import LockTimeoutError
from memoryserver.common.text import readable


def configure(parser: ArgumentParser) -> None:
    """Add the agent and the options."""
    parser.add_argument("agent", choices=sorted(plan.AGENTS), help="the agent")
    parser.add_argument(
        "--scope", choices=claude_code.SCOPES, help="remove only from this scope (default: from every scope)"
    )
    parser.add_argument("--all-projects", action="store_true", help="also from the projects that you are not in now")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, change nothing")


def run(args: Namespace) -> int:
    """Plan every change before the first is applied."""
    all_scopes = claude_code.SCOPES if args.agent == claude_code.NAME else codex.SCOPES
    scopes = [scope for scope in all_scopes if args.scope in (None, scope)]
    try:
        root = places.project_root()
        steps = plan.uninstall(args.agent, scopes, root, all_projects=args.all_projects)
        if args.dry_run:
            print("".join(step.change.diff() for step in steps) or "nothing to change\n", end="")
            return 0
        backups = plan.apply(steps)
        others = sorted({record.root for record in plan.elsewhere(args.agent, scopes, root)})
    except (SettingsError, LockTimeoutError) as error:
        raise CommandError(str(error)) from error
    for step in steps:
        suffix = " and deleted the file, which was empty then" if step.change.after is None else ""
        print(f"removed {step.title} from {readable(str(step.change.path))}{suffix}")
    for backup in backups:
        print(f"  backup: {readable(str(backup))}")
    if not steps:
        print(f"the settings of {plan.AGENTS[args.agent]} have no entries of memoryserver")
    if others:
        print(f"still installed in {', '.join(others)}; remove it there too with --all-projects")
    return 0
