"""`memory uninstall`: take out of an agent's settings exactly what `memory install` put in."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from memorycli.agents import claude_code, codex, plan
from memorycli.agents.settings_file import SettingsError
from memorycli.errors import CommandError
from memoryserver.client import places
from memoryserver.common.files import LockTimeoutError

HELP = "take out of an agent's settings what install put in"


def configure(parser: ArgumentParser) -> None:
    """The agent and where."""
    parser.add_argument("agent", choices=sorted(plan.AGENTS))
    parser.add_argument("--scope", choices=claude_code.SCOPES, help="only there; by default wherever it was put in")
    parser.add_argument("--dry-run", action="store_true", help="change nothing, show what would change")


def run(args: Namespace) -> int:
    """Plan all of it, then do it."""
    known = claude_code.SCOPES if args.agent == claude_code.NAME else codex.SCOPES
    scopes = [scope for scope in known if args.scope in (None, scope)]
    try:
        steps = plan.uninstall(args.agent, scopes, places.project_root())
        if args.dry_run:
            print("".join(step.change.diff() for step in steps) or "nothing to change\n", end="")
            return 0
        backups = plan.carry_out(steps)
    except (SettingsError, LockTimeoutError) as error:
        raise CommandError(str(error)) from error
    for step in steps:
        gone = ", which held nothing else and is gone" if step.change.after is None else ""
        print(f"{step.about} taken out of {step.change.path}{gone}")
    for backup in backups:
        print(f"  backup: {backup}")
    if not steps:
        print(f"nothing of memoryserver is in the settings of {plan.AGENTS[args.agent]}")
    return 0
