"""`memory projects`: the projects that the user sees on the server, with team and role."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memorycli.rendering.table import table
from memoryserver.client.http import ServerError


def configure(parser: ArgumentParser) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="for programs: the projects as JSON")


def run(args: Namespace) -> int:
    """Print a line for each project; 0 also when there are none."""
    projects = _fetch()
    if args.json:
        print(json.dumps(projects, indent=2))
    else:
        print(_render(projects))
    return 0


def _fetch() -> list[dict[str, Any]]:
    client = connection.load()
    projects: list[dict[str, Any]] = []
    cursor: str | None = ""
    try:
        while cursor is not None:
            answer = client.get("/projects", {"cursor": cursor})
            projects += answer["projects"]
            cursor = answer["next_cursor"]
    except ServerError as error:
        raise CommandError(str(error)) from error
    return projects


def _render(projects: Sequence[dict[str, Any]]) -> str:
    if not projects:
        return "No projects yet. One appears when an agent works in it for the first time."
    return "\n".join(table([(project["key"], _place(project)) for project in projects]))


def _place(project: dict[str, Any]) -> str:
    return f"team {project['team']}, {project['role']}" if project["team"] else "private"
