"""`memory show`: show what an id names, whatever it is: a journal entry, a learning, an observation or a session."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from ghap.local import GHAPEntry, Journal
from ghap.local.rendering import render as render_entry
from memorycli.arguments.journal import add_journal_option
from memorycli.arguments.journal import read as read_journal
from memorycli.delivery import connection
from memorycli.errors import CommandError
from memorycli.reading import lookup
from memorycli.rendering import documents, journal_entries, terminal
from memoryserver.client.http import ServerError
from memoryserver.common import text


def configure(parser: ArgumentParser) -> None:
    """Add the id."""
    parser.add_argument("id", metavar="ID", help="an id, its beginning, SOURCE/ID, or the address of a page")
    add_journal_option(parser)


def run(args: Namespace) -> int:
    """Print it; 1 if nothing or more than one thing has the id, and then these are listed.

    Entries of this journal are found without the server too.
    """
    try:
        client = connection.load()
        matches = lookup.look_up(client, args.id)
        if len(matches) == 1:
            document = lookup.read(client, matches[0])
            shown = {"kind": matches[0].kind, "url": matches[0].url, "document": document}
            print(json.dumps(shown, indent=2) if args.json else documents.render(matches[0], document))
            return 0
        problem = ""
    except (ServerError, CommandError) as error:
        matches, problem = [], str(error)
    if matches:
        print(json.dumps([asdict(match) for match in matches]) if args.json else documents.render_matches(matches))
        raise CommandError(f"{_quoted(args.id)} names more than one; give one of these ids")
    return _show_local(args, problem)


def _show_local(args: Namespace, problem: str) -> int:
    """Show the entry of this journal; `problem` says why the server was not asked."""
    entries = [] if not args.id else read_journal(args, lambda journal: _entries(journal, args.id), [])
    if len(entries) == 1:
        entry = {"kind": "entry", "url": "", "document": entries[0].to_dict()}
        shown = json.dumps(entry, indent=2) if args.json else render_entry(entries[0], width=terminal.text_width())
        print(shown)
        return 0
    if entries:
        print("\n".join(map(journal_entries.line, entries)))
        raise CommandError(f"{_quoted(args.id)} names more than one; give one of these ids")
    if problem:
        raise CommandError(f"this journal has no entry {_quoted(args.id)}, and {problem}")
    raise CommandError(f"nothing that you may see is named {_quoted(args.id)}; to search for words: memory search")


def _entries(journal: Journal, word: str) -> list[GHAPEntry]:
    active = journal.get_current()
    entries = [*journal.get_all_entries(), *([active] if active else [])]
    exact = [entry for entry in entries if entry.id == word.removeprefix("ghap/")]
    return exact or [entry for entry in entries if entry.id.startswith(word)]


def _quoted(word: str) -> str:
    return repr(text.shorten(text.one_line(word), 60))
