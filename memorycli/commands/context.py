"""`memory context`: the context that a session in this project begins with, and why each line is in it."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from memorycli import renamed
from memorycli.arguments.inputs import whole_number
from memorycli.delivery import connection
from memorycli.errors import CommandError
from memorycli.reading.ages import ago
from memorycli.rendering import terminal
from memorycli.rendering.terminal import paint
from memoryserver.client import agent_session, context_cache, places
from memoryserver.client.context_cache import Cached
from memoryserver.client.http import ServerError, UnreachableError
from memoryserver.common.columns import wrapped
from memoryserver.common.text import one_line, printable, readable, shorten

_HEADINGS = {
    "included": "In the context:",
    "no room": "No room for:",
    "repeated": "Repeated:",
    "left out": "Left out:",
}


def configure(parser: ArgumentParser) -> None:
    """Add the project and the length."""
    parser.add_argument("--project", help="the project's key (default: this project's)")
    parser.add_argument(
        "--chars", type=whole_number(200, 8000), default=2000, help="at most this many characters (200 to 8000)"
    )
    parser.add_argument(
        "--explain", action="store_true", help="why each line is in the context, what was left out, and why"
    )
    parser.add_argument("--json", action="store_true", help="the server's whole answer as JSON")


def run(args: Namespace) -> int:
    """Print the context as the server composes it now, or offline as it was last fetched; 0 also when it is empty."""
    project, cached = args.project or places.here().key(), None
    path = "/context/explanation" if args.explain else "/context"
    try:
        answer = connection.load().get(path, {"project": project, "chars": args.chars})
    except UnreachableError as error:
        cached = None if args.explain or args.json else context_cache.load(project)
        if cached is None:
            raise CommandError(str(error)) from error
        print(f"memory: offline, so as it was {ago(max(cached.age, 0))}: {readable(str(error))}", file=sys.stderr)
        answer = {"project": project, "text": cached.text}
    except ServerError as error:
        raise CommandError(str(error)) from error
    if args.json:
        print(json.dumps(answer, indent=2))
    elif args.explain:
        print(_render_explanation(answer))
    else:
        print(printable(answer["text"]).rstrip() or _empty(answer))
    if cached is not None:  # else the server has counted it
        _record(cached)
    return 0


def _record(cached: Cached) -> None:
    """Record that a session got the copy; it is printed already, so that this fails is only said."""
    try:
        context_cache.record_delivery(cached, cached.text, agent_session.current(), "command")
    except OSError as error:
        print(f"memory: this use of the context is not counted: {readable(str(error))}", file=sys.stderr)


def _empty(answer: dict[str, Any]) -> str:
    said = f"The context of {one_line(printable(answer['project']))} is empty"
    project = places.here()
    earlier = renamed.earlier_keys(project) if answer["project"] == project.key() else ()
    return f"{said}: {renamed.hint(earlier)}" if earlier else f"{said}."


def _render_explanation(answer: dict[str, Any]) -> str:
    lines: list[str] = []
    for outcome, heading in _HEADINGS.items():
        group = [line for line in answer["lines"] if line["outcome"] == outcome]
        if group:
            lines += [paint(heading, "bold"), "", *(text for line in group for text in _render_line(line))]
    return "\n".join(lines).rstrip() or _empty(answer)


def _render_line(line: dict[str, Any]) -> list[str]:
    text = shorten(one_line(printable(line["text"])), 320)
    why = f"{line['section']}, weight {line['weight']:.2f}" + (f": {line['why']}" if line["why"] else "")
    width = terminal.text_width()
    return [
        *_hanging("- ", text, width),
        *(paint(shown, "dim") for shown in _hanging("    ", one_line(printable(why)), width)),
        "",
    ]


def _hanging(head: str, value: str, width: int) -> list[str]:
    lines = wrapped(value, width - len(head))
    return [(head if number == 0 else " " * len(head)) + line for number, line in enumerate(lines)]
