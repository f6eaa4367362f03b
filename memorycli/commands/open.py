"""`memory open`: open the page of what an id names in the browser."""

from __future__ import annotations

import webbrowser
from argparse import ArgumentParser, Namespace

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memorycli.reading import lookup
from memorycli.rendering import documents
from memoryserver.client.http import ServerError
from memoryserver.common import text


def configure(parser: ArgumentParser) -> None:
    """Add the id."""
    parser.add_argument(
        "id", metavar="ID", nargs="?", help="an id, its beginning, or SOURCE/ID (default: the home page)"
    )
    parser.add_argument("--print", action="store_true", dest="only_print", help="print the address, open no browser")


def run(args: Namespace) -> int:
    """Open the page and print its address; 1 if nothing or more than one thing has the id."""
    address = f"{connection.address().rstrip('/')}/" if args.id is None else _address(args.id)
    print(address)
    if not args.only_print:
        _open(address)
    return 0


def _address(word: str) -> str:
    try:
        matches = lookup.look_up(connection.load(), word)
    except ServerError as error:
        raise CommandError(str(error)) from error
    quoted = repr(text.shorten(text.one_line(word), 60))
    if not matches:
        raise CommandError(f"nothing that you may see is named {quoted}; to search for words: memory search")
    if len(matches) > 1:
        print(documents.render_matches(matches))
        raise CommandError(f"{quoted} names more than one; give one of these ids")
    if not matches[0].url:
        raise CommandError(f"{matches[0].id} has no page; to read it: memory show {matches[0].id}")
    return matches[0].url


def _open(address: str) -> None:
    """Open a browser; where there is none the printed address has to do."""
    try:
        webbrowser.open(address)
    except webbrowser.Error:
        return
