"""`memory projects`: the projects that the user sees on the server, with team and role; and one gets another name."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from memorycli import renamed
from memorycli.delivery import connection
from memorycli.errors import CommandError
from memorycli.rendering.table import table
from memoryserver.client import context_cache, places
from memoryserver.client.http import RefusedError, ServerError
from memoryserver.common.text import one_line, printable

Answer = dict[str, Any]


def configure(parser: ArgumentParser) -> None:
    """Add --json, and what can be done with one."""
    parser.add_argument("--json", action="store_true", help="for programs: the projects as JSON")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    line = "bring over what the memory has of this project under its former name, once remote or folder was renamed"
    renaming = actions.add_parser("rename", help=line, description=line)
    renaming.add_argument("old", nargs="?", metavar="OLD", help="the key before (default: as this laptop saw it)")
    renaming.add_argument("new", nargs="?", metavar="NEW", help="the key after (default: this project's)")
    ways = renaming.add_mutually_exclusive_group()
    ways.add_argument("--share", action="store_true", help="also where a team then sees what is private")
    ways.add_argument("--dismiss", action="store_true", help="it was another project: bring nothing over")
    renaming.add_argument("--json", action="store_true", help="for programs: the renamed projects as JSON")


def run(args: Namespace) -> int:
    """Print a line for each project; 0 also when there are none."""
    if args.action == "rename":
        return _rename(args)
    projects = _fetch()
    if args.json:
        print(json.dumps(projects, indent=2))
    else:
        print(_render(projects))
    return 0


def _fetch() -> list[Answer]:
    client = connection.load()
    projects: list[Answer] = []
    cursor: str | None = ""
    try:
        while cursor is not None:
            answer = client.get("/projects", {"cursor": cursor})
            projects += answer["projects"]
            cursor = answer["next_cursor"]
    except ServerError as error:
        raise CommandError(str(error)) from error
    return projects


def _render(projects: Sequence[Answer]) -> str:
    if not projects:
        return "No projects yet. One appears when an agent works in it for the first time."
    return "\n".join(table([(project["key"], _place(project)) for project in projects]))


def _place(project: Answer) -> str:
    return f"team {project['team']}, {project['role']}" if project["team"] else "private"


def _rename(args: Namespace) -> int:
    project = places.here()
    old_keys = (args.old,) if args.old else renamed.earlier_keys(project)
    if not old_keys:
        raise CommandError("this project had no other name on this laptop; name both: memory projects rename OLD NEW")
    new = args.new or project.key(environment=False)
    answers: list[Answer] = []
    for old in old_keys:
        answer = None if args.dismiss else _renamed(old, new, share=args.share, is_named=bool(args.old))
        if answer is not None:
            answers.append(answer)
        if new == project.key(environment=False):
            renamed.settle(project, old, is_same=not args.dismiss)
        if not args.json:
            print(_outcome(old, new, answer, is_dismissed=args.dismiss))
    if args.json:
        print(json.dumps(answers, indent=2))
    return 0


def _renamed(old: str, new: str, *, share: bool, is_named: bool) -> Answer | None:
    """Rename it on the server, and fetch its context; None if the server has nothing under a name that nobody gave."""
    client = connection.load()
    try:
        answer: Answer = client.post("/projects/rename", {"key": old, "new_key": new, "share_private": share})
        context_cache.refresh(client, new)
    except RefusedError as error:
        if error.status == HTTPStatus.NOT_FOUND and not is_named:
            return None
        reason = error.status != HTTPStatus.UNAUTHORIZED and error.problem.get("detail")
        raise CommandError(str(reason or error)) from error
    except ServerError as error:
        raise CommandError(str(error)) from error
    return answer


def _outcome(old: str, new: str, answer: Answer | None, *, is_dismissed: bool) -> str:
    old, new = one_line(printable(old)), one_line(printable(new))
    if is_dismissed:
        return f"{new} is another project than {old}, which keeps its memory."
    if answer is None:
        return f"The server has nothing under {old}."
    return f"{answer['key']} has the memory of {old} now ({_place(answer)})."
