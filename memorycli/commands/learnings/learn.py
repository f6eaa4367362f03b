"""`memory learn`: store one fact that later sessions would be glad to know."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from capture.local import LEARNING_TYPES
from memorycli.arguments.inputs import required_text
from memorycli.arguments.learning_ids import key_of
from memorycli.delivery import manual_learnings, stored_learnings
from memorycli.errors import CommandError, UsageError
from memorycli.rendering.cut_note import print_note
from memoryserver.client import agent_processes, exclusions, places
from memoryserver.client.exclusions import Exclusions
from memoryserver.common.files import LockTimeoutError
from memoryserver.common.text import one_line, printable, shorten


def configure(parser: ArgumentParser) -> None:
    """Add the text and what it is about."""
    parser.add_argument("content", metavar="TEXT", help="one to three sentences; '-' reads standard input")
    parser.add_argument(
        "--type", choices=LEARNING_TYPES, default="learning", metavar="TYPE", help=f"one of {', '.join(LEARNING_TYPES)}"
    )
    parser.add_argument("--file", action="append", default=[], metavar="PATH", help="a file it is about; repeatable")
    parser.add_argument(
        "--replaces", action="append", default=[], metavar="ID", help="a learning that it makes untrue; repeatable"
    )
    parser.add_argument("--project", metavar="KEY", help="the project's key (default: this project's)")
    parser.add_argument("--anyway", action="store_true", help="store it as it is, also if it lacks something")
    parser.add_argument("--json", action="store_true", help="what became of it, as JSON")


def run(args: Namespace) -> int:
    """Store the learning; 1 if it lacks something, with what that is on standard error."""
    project, session = args.project or places.here().key(), agent_processes.session_of_command()
    if folder := _excluded(args.project):
        raise CommandError(exclusions.refusal(folder))
    replaces, wording = _keys(args.replaces), required_text(args.content, "TEXT")
    try:
        content = manual_learnings.body(
            type=args.type,
            content=wording,
            project=project,
            files=args.file,
            session=session,
            stored_by="agent" if session else "person" if sys.stdin.isatty() else None,
            replaces=replaces,
        )
    except ValueError as error:
        raise CommandError(str(error)) from error
    try:
        if not args.anyway and not stored_learnings.contains(content):
            _check(content)
        stored = manual_learnings.store(content, again=args.anyway or bool(replaces))
    except LockTimeoutError as error:
        raise CommandError(str(error)) from error
    if stored.refused:
        raise CommandError(f"the server refused the learning: {shorten(one_line(printable(stored.refused)), 600)}")
    state = "waiting" if stored.later else "hidden" if stored.hidden else "known" if stored.known else "stored"
    said = {name: content[name] for name in ("type", "content", "project", "files")}
    print(
        json.dumps({**said, "id": stored.key, "state": state, "reason": stored.later})
        if args.json
        else _line(stored, replaces, args.project)
    )
    print_note(wording, args.file)
    return 0


def _excluded(project: str | None) -> str:
    """Return what is excluded: the folder, or the project if the person names one; "" if that is not."""
    if project is None:
        return exclusions.here()
    return project if Exclusions().has_project(project) else ""


def _keys(words: Sequence[str]) -> Sequence[int]:
    try:
        return [key_of(word) for word in words]
    except ValueError as error:
        raise UsageError(str(error)) from error


def _check(content: dict[str, object]) -> None:
    if objection := manual_learnings.objection(content):
        raise CommandError(f"not stored: {objection} Reword it, or store it as it is with --anyway.")


def _line(stored: manual_learnings.Stored, replaces: Sequence[int], named: str | None) -> str:
    if stored.later:
        return f"Saved; it will be sent later ({one_line(printable(stored.later))})."
    if stored.hidden:
        undo = f"memory forget --undo {stored.key}"
        return f"Not shown: it was stored before and is hidden, as it did not hold. Undo: {undo}"
    if stored.known:
        return "Already stored."
    if replaces:
        return f"{stored}; what it replaces is hidden now, or where only others may hide it, marked as contradicted."
    if named and stored.new_project:
        project = shorten(one_line(printable(stored.new_project)), 120)
        return f"{stored}. Project {project} is new, and only you see it: if the key is mistyped, use the right one."
    return f"{stored}."
