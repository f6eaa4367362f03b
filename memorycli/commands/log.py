"""`memory log`: write to, read from and follow the observation log."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from typing import Any

from memorycli.arguments.inputs import TEXT_HELP, read_text, whole_number
from memorycli.arguments.times import TIME_HELP, moment
from memorycli.delivery import connection, observations
from memorycli.errors import CommandError, UsageError
from memorycli.rendering.cut_note import print_note
from memoryserver.client import agent_processes, exclusions, places
from memoryserver.client.http import Client, RefusedError, ServerError, UnreachableError

_LONGEST_PAUSE = 60.0


def configure(parser: ArgumentParser) -> None:
    """`append`, `query`, `recent` and `tail`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _configure_append(actions.add_parser("append", help="append an observation", description=TEXT_HELP))
    query = actions.add_parser("query", help="query the log", description="Query the log; oldest first.")
    _add_filter(query, dates=True)
    query.add_argument(
        "--limit", type=whole_number(1, 1000), default=50, help="how many at most (1 to 1000, default 50)"
    )
    query.add_argument("--offset", type=whole_number(0), help="how many to skip")
    query.add_argument("--cursor", help="continue after the answer that gave this cursor")
    _add_shape(query)
    recent = actions.add_parser("recent", help="show the latest", description="The latest, oldest first.")
    _add_filter(recent, dates=True)
    recent.add_argument(
        "--limit", type=whole_number(1, 1000), default=100, help="how many at most (1 to 1000, default 100)"
    )
    _add_shape(recent)
    tail = actions.add_parser("tail", help="show the latest and follow", description="Follow the log until Ctrl-C.")
    _add_filter(tail, dates=False)
    tail.add_argument(
        "--limit",
        type=whole_number(1, 1000),
        default=10,
        help="how many of the latest to start with (1 to 1000, default 10)",
    )
    tail.add_argument("--mode", choices=["short", "full", "json"], default="short")
    tail.add_argument("--interval", type=float, default=2.0, help="seconds between two queries (default 2)")


def run(args: Namespace) -> int:
    """Run the chosen action."""
    return {"append": _append, "query": _query, "recent": _recent, "tail": _tail}[args.action](args)


def _configure_append(parser: ArgumentParser) -> None:
    parser.add_argument("message", help="what happened, in one line")
    parser.add_argument("--type", required=True, help="what kind of event, such as task.updated")
    parser.add_argument("--source", default="agent:cli", help="category:identifier (default agent:cli)")
    parser.add_argument("--details", help="more about it, may have several lines")
    parser.add_argument("--data", help="JSON to store with it")
    parser.add_argument("--scope", action="append", default=[], metavar="ID", help="an id that it is about; repeatable")


def _add_filter(parser: ArgumentParser, *, dates: bool) -> None:
    parser.add_argument("--type", help="only this type")
    parser.add_argument("--source", help="only sources that begin with this")
    parser.add_argument("--scope", action="append", default=[], metavar="ID", help="about any of these ids; repeatable")
    if dates:
        parser.add_argument("--after", "--since", type=moment, metavar="TIME", help=f"from this time on: {TIME_HELP}")
        parser.add_argument("--before", "--until", type=moment, metavar="TIME", help="before this time, in these forms")


def _add_shape(parser: ArgumentParser) -> None:
    parser.add_argument("--order", choices=["asc", "desc"], default="asc", help="asc: oldest first (default)")
    parser.add_argument("--mode", choices=["short", "full", "json"], default="short", help="json: the data of each")
    parser.add_argument(
        "--max-chars", type=whole_number(200), metavar="N", help="omit whole observations beyond N characters"
    )
    parser.add_argument("--show-cursor", action="store_true", help="print the cursor on standard error")
    parser.add_argument("--json", action="store_true", help="the server's whole answer as JSON, cursor included")


def _append(args: Namespace) -> int:
    """Into the outbox first, then to the server: offline, it is kept and goes with the next append or sync."""
    if folder := exclusions.here():
        raise CommandError(exclusions.refusal(folder))
    content = {
        "type": args.type,
        "source": args.source,
        "message": args.message,
        "details": read_text(args.details, "--details"),
        "data": _data(read_text(args.data, "--data")),
        "scope_ids": args.scope,
    }
    identifier = observations.save(**content, project=places.here().key(), session=agent_processes.session_of_command())
    try:
        later = observations.deliver(connection.load()).later
    except (ServerError, CommandError) as error:
        later = str(error)
    if later:
        print(f"kept for the next `memory sync`: {later}", file=sys.stderr)
    reason = observations.outbox().take_back(identifier)
    if reason is not None:
        raise CommandError(f"refused: {reason}")
    print(identifier)
    print_note(content)
    return 0


def _data(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--data is not JSON: {error}") from error


def _query(args: Namespace) -> int:
    return _show(args, observations.PATH, {"offset": args.offset, "cursor": args.cursor}, with_cursor=bool(args.cursor))


def _recent(args: Namespace) -> int:
    return _show(args, f"{observations.PATH}/recent", {}, with_cursor=False)


def _show(args: Namespace, path: str, further: dict[str, Any], *, with_cursor: bool) -> int:
    params = {**_filter(args), **further, "after_date": args.after, "before_date": args.before, "order": args.order}
    params |= {"limit": args.limit}
    client = _client()
    try:
        if args.json:
            print(json.dumps(client.get(path, params), indent=2))
            return 0
        text, headers = client.get_text_and_headers(path, {**params, "mode": args.mode, "max_chars": args.max_chars})
    except ServerError as error:
        raise CommandError(str(error)) from error
    print(text)
    if headers.get("Observations-More") == "true":
        print(f"there is more; continue with: --cursor {headers.get('Observations-Cursor')}", file=sys.stderr)
    elif with_cursor or args.show_cursor:
        print(f"cursor: {headers.get('Observations-Cursor')}", file=sys.stderr)
    return 0


def _client() -> Client:
    """Return the client for a query, after what this laptop appended before was sent."""
    client = connection.load()
    if later := observations.deliver_before_reading(client):
        print(f"not all that was appended here is in the answer: {later}", file=sys.stderr)
    return client


def _tail(args: Namespace) -> int:
    params = {**_filter(args), "mode": args.mode}
    client = _client()
    try:
        cursor = _print_page(
            args, *client.get_text_and_headers(f"{observations.PATH}/recent", {**params, "limit": args.limit})
        )
        while True:
            time.sleep(args.interval)
            cursor = _follow(args, client, {**params, "cursor": cursor, "limit": 1000})
    except ServerError as error:
        raise CommandError(str(error)) from error
    except KeyboardInterrupt:
        return 0


def _follow(args: Namespace, client: Client, params: dict[str, Any]) -> str | None:
    """Print one page; retry until the server can be reached, which loses nothing."""
    pause = args.interval
    while True:
        try:
            return _print_page(args, *client.get_text_and_headers(observations.PATH, params))
        except RefusedError:
            raise
        except UnreachableError as error:
            if pause == args.interval:
                print(f"{error}; trying again", file=sys.stderr)
            pause = min(max(pause, 1.0) * 2, _LONGEST_PAUSE)
            time.sleep(pause)


def _print_page(args: Namespace, text: str, headers: Any) -> str | None:
    if headers.get("Observations-Count") != "0":
        print(text, end="\n\n" if args.mode == "full" else "\n", flush=True)
    cursor: str | None = headers.get("Observations-Cursor")
    return cursor


def _filter(args: Namespace) -> dict[str, Any]:
    return {"type": args.type, "source": args.source, "scope_ids": args.scope or None}
