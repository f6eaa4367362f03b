"""`memory forget`: hide a learning that does not hold, or no longer."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from http import HTTPStatus
from typing import Any

from memorycli.arguments.learning_ids import key_of
from memorycli.delivery import connection, stored_learnings
from memorycli.errors import CommandError, UsageError
from memoryserver.client import context_cache
from memoryserver.client.http import RefusedError, ServerError
from memoryserver.common.text import one_line, printable, shorten


def configure(parser: ArgumentParser) -> None:
    """Add the id."""
    parser.add_argument("id", metavar="ID", help="its id, such as learnings/12, or the address of its page")
    parser.add_argument("--undo", action="store_true", help="show it again")
    parser.add_argument("--json", action="store_true", help="for programs: the learning as JSON")


def run(args: Namespace) -> int:
    """Hide it from searches and contexts of all who see it; nothing is deleted."""
    try:
        key = key_of(args.id)
    except ValueError as error:
        raise UsageError(str(error)) from error
    try:
        learning = _change(key, hidden=not args.undo)
    except ServerError as error:
        raise CommandError(str(error)) from error
    context_cache.record_change(learning["project"] or "")
    stored_learnings.forget(learning)
    if args.json:
        print(json.dumps(learning, indent=2))
    else:
        content = shorten(one_line(printable(learning["content"])), 140)
        print(f"Shown again: {content}" if args.undo else f"Hidden: {content}\nUndo: memory forget --undo {key}")
    return 0


def _change(key: int, *, hidden: bool) -> dict[str, Any]:
    try:
        answer = connection.load().post(f"/learnings/{key}/hide", {"hidden": hidden})
    except RefusedError as error:
        if error.status == HTTPStatus.FORBIDDEN and "scope" not in error.problem:  # the token is as good as any other
            reason = one_line(printable(str(error.problem.get("detail") or error)))
            advice = f"store what holds instead: memory learn --replaces {key} '...', which marks it for them to decide"
            raise CommandError(f"{reason}; {advice}") from error
        raise
    assert isinstance(answer, dict)
    return answer
