"""`memory session`: the session that the journal's entries belong to."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

from ghap.local import GHAPEntry, ObservationCollector, counter
from ghap.local.rendering import summary
from memorycli.arguments.journal import add_journal_option, folder, look
from memorycli.arguments.journal import run as on_journal

HELP = "start, end or show the journal's session"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `memory session`."""
    commands = parser.add_subparsers(dest="session_command", metavar="COMMAND", required=True)
    _add(commands, "start", _start, "start a session; one that is open goes to the archive")
    _add(commands, "end", _end, "end the session: its entries go to the archive, an active one is abandoned")
    _add(commands, "show", _show, "show the open session")


def run(args: argparse.Namespace) -> int:
    """Do what `args` says; the exit status."""
    command: Callable[[argparse.Namespace], None] = args.session_run
    command(args)
    return 0


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: Callable[[argparse.Namespace], None],
    help_line: str,
) -> None:
    parser = commands.add_parser(name, help=help_line, description=help_line)
    add_journal_option(parser)
    parser.set_defaults(session_run=command)


def _start(args: argparse.Namespace) -> None:
    async def start(journal: ObservationCollector) -> tuple[str, GHAPEntry | None]:
        return await journal.start_session(), await journal.get_orphaned_entry()

    session_id, orphan = on_journal(args, start)
    if args.json:
        print(json.dumps({"session_id": session_id, "orphan": orphan and orphan.to_dict()}, indent=2))
        return
    print(f"started {session_id}")
    if orphan is not None:
        print(f"An earlier session left an entry: memory ghap adopt, or abandon-orphan.\n  {summary(orphan, width=78)}")


def _end(args: argparse.Namespace) -> None:
    async def end(journal: ObservationCollector) -> tuple[str | None, list[GHAPEntry]]:
        return await journal.get_session_id(), await journal.end_session()

    session_id, entries = on_journal(args, end)
    if args.json:
        print(json.dumps({"session_id": session_id, "entries": [entry.to_dict() for entry in entries]}, indent=2))
        return
    print(f"ended {session_id}, entries: {len(entries)}" if session_id else "no session was open")
    for entry in entries:
        print(f"  {summary(entry, width=78)}")


def _show(args: argparse.Namespace) -> None:
    async def find(journal: ObservationCollector) -> dict[str, Any]:
        active = await journal.get_current()
        return {
            "session_id": await journal.get_session_id(),
            "tool_count": counter.peek(journal.journal_dir),
            "entries": len(await journal.get_session_entries()),
            "active": active and active.id,
            "active_is_orphan": await journal.has_orphaned_entry(),
        }

    nothing = {"session_id": None, "tool_count": 0, "entries": 0, "active": None, "active_is_orphan": False}
    found = look(args, find, nothing)
    if args.json:
        print(json.dumps({**found, "journal": str(folder(args))}, indent=2))
        return
    print(found["session_id"] or "no session is open; start one with: memory session start")
    left = ", left by an earlier session" if found["active_is_orphan"] else ""
    print(f"  journal             {folder(args)}")
    print(f"  active entry        {found['active'] or 'none'}{left}")
    print(f"  resolved entries    {found['entries']}")
    print(f"  tool calls counted  {found['tool_count']}")
