"""`memory search`: find entries and learnings by meaning and by words."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter

from memorycli.arguments.inputs import whole_number
from memorycli.delivery import connection
from memorycli.errors import CommandError
from memorycli.rendering import search_hits
from memoryserver.client import places
from memoryserver.client.http import ServerError

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
    parser.add_argument("--project", help="only this project, named by its key (default: all, this one's first)")
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
    parser.add_argument(
        "--limit", type=whole_number(1, 100), default=5, help="at most this many hits (1 to 100, default 5)"
    )
    parser.add_argument("--cursor", default="", help="the next page: what the last one ended with")
    parser.add_argument("--json", action="store_true", help="for programs: the server's whole answer as JSON")


def run(args: Namespace) -> int:
    """Print the hits, best first; 0 also when there are none."""
    params = {"q": " ".join(args.query), "mode": args.mode, "limit": args.limit, "cursor": args.cursor}
    params |= {name: getattr(args, name) for name in _FILTERS}
    params["here"] = places.here().key()
    try:
        answer = connection.load().get("/search", params)
    except ServerError as error:
        raise CommandError(str(error)) from error
    if args.json:
        print(json.dumps(answer, indent=2))
    else:
        print(search_hits.render(answer, connection.address()))
    return 0
