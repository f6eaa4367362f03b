"""`memory session`: the session that the journal's entries belong to."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ghap.local import GHAPEntry, Journal, counter
from memorycli.arguments.journal import add_command, adopt_or_abandon, command, folder, run_command
from memorycli.arguments.journal import read as read_journal
from memorycli.arguments.journal import run as on_journal
from memorycli.hook import ownership
from memorycli.rendering import journal_entries
from memoryserver.client import agent_processes
from memoryserver.common.text import readable


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `memory session`."""
    commands = parser.add_subparsers(dest="session_command", metavar="COMMAND", required=True)
    add_command(commands, "start", _start, "start a session; one that is open goes to the archive")
    add_command(commands, "end", _end, "end the session: its entries go to the archive, an active one is abandoned")
    add_command(commands, "show", _show, "show the open session")


def run(args: argparse.Namespace) -> int:
    """Run the command that `args` names and return the exit status."""
    return run_command(args)


def _start(args: argparse.Namespace) -> None:
    def start(journal: Journal) -> tuple[str, GHAPEntry | None]:
        return journal.start_session(), journal.get_orphaned_entry()

    session_id, orphan = on_journal(args, start)
    if args.json:
        print(json.dumps({"session_id": session_id, "orphan": orphan and orphan.to_dict()}, indent=2))
        return
    print(f"started {session_id}")
    if orphan is not None:
        print(f"An earlier session left an entry: {adopt_or_abandon(args)}\n{journal_entries.line(orphan, indent=2)}")


def _end(args: argparse.Namespace) -> None:
    def end(journal: Journal) -> tuple[str | None, GHAPEntry | None, list[GHAPEntry]]:
        state = journal.state()
        entries = journal.end_session()
        return state.session_id, state.orphan and _entry_of(journal, state.orphan.id), entries

    session_id, orphan, entries = read_journal(args, end, (None, None, []))
    if args.json:
        fields = {"session_id": session_id, "entries": [entry.to_dict() for entry in entries]}
        print(json.dumps(fields | ({"abandoned_orphan": orphan.to_dict()} if orphan else {}), indent=2))
        return
    print(f"ended {session_id}, entries: {len(entries)}" if session_id else "no session was open")
    if orphan is not None:
        print(f"abandoned the entry that {orphan.session_id} left:\n{journal_entries.line(orphan, indent=2)}")
    for entry in entries:
        print(journal_entries.line(entry, indent=2))


def _entry_of(journal: Journal, entry_id: str) -> GHAPEntry | None:
    return next((entry for entry in journal.get_all_entries() if entry.id == entry_id), None)


def _show(args: argparse.Namespace) -> None:
    def facts(journal: Journal) -> dict[str, Any]:
        state = journal.state()
        return {
            "session_id": state.session_id,
            "tool_count": counter.peek(journal.journal_dir),
            "entries": len(journal.get_session_entries()),
            "active": state.entry and state.entry.id,
            "active_is_orphan": state.orphan is not None
            and ownership.is_left(journal.journal_dir, state.orphan, agent_processes.session_of_command()),
        }

    empty = {"session_id": None, "tool_count": 0, "entries": 0, "active": None, "active_is_orphan": False}
    session = read_journal(args, facts, empty)
    if args.json:
        print(json.dumps({**session, "journal": str(folder(args))}, indent=2))
        return
    print(session["session_id"] or "no session is open; start one with: " + command(args, "session start"))
    left = ", left by an earlier session" if session["active_is_orphan"] else ""
    print(f"  journal             {readable(str(folder(args)))}")
    print(f"  active entry        {session['active'] or 'none'}{left}")
    print(f"  resolved entries    {session['entries']}")
    print(f"  tool calls counted  {session['tool_count']}")
