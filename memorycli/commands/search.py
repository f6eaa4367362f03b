"""`memory search`: find entries and learnings by meaning and by words."""

from __future__ import annotations

import json
import textwrap
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from typing import Any

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client.http import ServerError
from memoryserver.common.text import one_line, printable, shorten

_WIDTH = 80
_EXAMPLES = """\
examples:
  memory search why does the nightly export hang
  memory search deadlock --outcome falsified --since 30d
  memory search "how do we name branches" --type convention --project github.com/crew/shop
"""
_FILTERS = (
    "source",
    "axis",
    "project",
    "user",
    "team",
    "since",
    "until",
    "domain",
    "strategy",
    "outcome",
    "tier",
    "type",
    "log_source",
)


def configure(parser: ArgumentParser) -> None:
    """Add the query and the filters; the server checks their values."""
    parser.epilog = _EXAMPLES
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.add_argument("query", nargs="+", help="what to look for, in your own words")
    parser.add_argument("--source", help="ghap, learnings or observations; by default the first two")
    parser.add_argument("--axis", help="full, strategy, surprise, root_cause, learning or message")
    parser.add_argument("--project", help="only this project, named by its key")
    parser.add_argument("--user", help="only what this person's agents sent")
    parser.add_argument("--team", help="only projects shared with this team")
    parser.add_argument("--since", help="from this date or time on, or at most this old: 12h, 7d, 2w, 3m, 1y")
    parser.add_argument("--until", help="before this date or time, or older than this")
    parser.add_argument("--domain", help="entries of this domain, such as debugging")
    parser.add_argument("--strategy", help="entries that followed this strategy")
    parser.add_argument("--outcome", help="entries that were confirmed, falsified or abandoned")
    parser.add_argument("--tier", help="entries of this tier: gold, silver, bronze or abandoned")
    parser.add_argument("--type", help="learnings or observations of this type, such as gotcha")
    parser.add_argument("--log-source", help="observations whose source begins with this, such as agent:")
    parser.add_argument("--mode", choices=["hybrid", "semantic", "lexical"], default="hybrid")
    parser.add_argument("--limit", type=int, default=5, help="at most this many hits (1 to 100, default 5)")
    parser.add_argument("--offset", type=int, default=0, help="skip this many of the best hits")
    parser.add_argument("--json", action="store_true", help="the server's whole answer as JSON")


def run(args: Namespace) -> int:
    """Print the hits, best first; 0 also when there are none."""
    params = {"q": " ".join(args.query), "mode": args.mode, "limit": args.limit, "offset": args.offset}
    params |= {name: getattr(args, name) for name in _FILTERS}
    try:
        answer = connection.load().get("/search", params)
    except ServerError as error:
        raise CommandError(str(error)) from error
    print(json.dumps(answer, indent=2) if args.json else _render(answer, args.offset))
    return 0


def _render(answer: dict[str, Any], offset: int) -> str:
    lines = [answer["note"], ""] if answer["note"] else []
    for number, hit in enumerate(answer["hits"], offset + 1):
        lines += _render_hit(number, hit)
    if not answer["hits"]:
        lines.append("No more hits." if offset else "Nothing found.")
    # An older server does not page.
    if answer.get("next_offset") is not None:
        lines.append(f"{answer['found']} found; for the next: --offset {answer['next_offset']}")
    return "\n".join(lines).rstrip()


def _render_hit(number: int, hit: dict[str, Any]) -> list[str]:
    where = f"{hit['user']}, {hit['created_at'][:10]}" + (f", {hit['project']}" if hit["project"] else "")
    origin = "  ".join(one_line(printable(f"{name} {value}")) for name, value in hit["origin"].items())
    body = shorten(one_line(printable(f"{hit['title']} {hit['text']}")), 320)
    return [
        shorten(one_line(printable(f"{number}. [{hit['kind']}] {where}")), _WIDTH),
        *textwrap.wrap(body, _WIDTH, initial_indent="   ", subsequent_indent="   "),
        shorten(f"   {origin}", _WIDTH),
        "",
    ]
