"""`memory capture exclude`, `include` and `excluded`: the folders that are kept out of the memory."""

from __future__ import annotations

import json
import os
import shlex
import sys
from argparse import Namespace
from urllib.parse import quote

from capture.local.scanning.scanner import pass_over_excluded
from memorycli.commands.capturing.capture_summary import LOCK_TIMEOUT
from memorycli.delivery import connection
from memorycli.doctor import exclusion
from memorycli.doctor.finding import View
from memorycli.errors import CommandError
from memoryserver.client import exclusions, home_folder, places
from memoryserver.client.exclusions import Exclusions
from memoryserver.common.text import one_line, printable, readable


def run(args: Namespace) -> int:
    """Run the chosen action."""
    return {"exclude": _exclude, "include": _include, "excluded": _list}[args.action](args)


def _exclude(args: Namespace) -> int:
    folder = _meant(args.path)
    if not os.path.isdir(folder):
        raise CommandError(f"{_shown(folder)} is not a folder")
    if "\n" in folder or "\r" in folder:
        raise CommandError(
            "a folder with a line break in its name cannot be excluded; rename it, or exclude its parent"
        )
    around = Exclusions().around(folder)
    if not around:
        exclusions.save([folder])
    if args.json:
        print(json.dumps({"excluded": around or folder}))
        return 0
    print(f"Excluded: {_shown(around or folder)}" + (_part_of(folder) if not around else ""))
    print("\n".join(_what_follows(folder)))
    named = f" {shlex.quote(_shown(around or folder))}" if args.path or around not in ("", folder) else ""
    print(f"To undo this: memory capture include{named}")
    return 0


def _part_of(folder: str) -> str:
    """Return what is excluded with the folder, and what is not if it is a part of a repository."""
    project = places.of(folder)
    if not project.is_repository:
        return " and everything below it."
    if project.main == folder:
        return ", its worktrees and everything below them."
    return (
        f" and everything below it. Sessions that begin above it, in {_shown(str(project.root))}, are captured still "
        "where their shell is elsewhere."
    )


def _what_follows(folder: str) -> list[str]:
    lines = ["Nothing that agents do there is recorded from now on, and what waits from there is not sent."]
    if connection.is_configured():
        key = places.of(folder).key(environment=False)
        query = f"?project={quote(key, safe='')}" if key != places.NO_PROJECT else ""  # which is of many folders
        page = f"{connection.address().rstrip('/')}/learnings/{query}"
        lines.append(
            f"What the server has of it stays. To delete learnings: {page}; all of the project: an administrator does "
            "under Projects in the admin."
        )
    for finding in exclusion.by_http(View(offline=True)):
        print(f"memory: {_shown(finding.what)}; to change that: {_shown(finding.fix)}", file=sys.stderr)
    return lines


def _include(args: Namespace) -> int:
    folder, before = _meant(args.path), Exclusions()
    if before.unreadable:
        raise CommandError(f"{before.problems[-1]}; correct or delete that file")
    if folder in before.folders:
        pass_over_excluded(home_folder.path(), lock_timeout=LOCK_TIMEOUT)
        exclusions.save([], removed=[folder])
    remaining = Exclusions()
    if around := remaining.around(folder):
        source = remaining.folders[around]
        how = f"change ${source}" if source == exclusions.VARIABLE else f"memory capture include {shlex.quote(around)}"
        raise CommandError(f"{_shown(folder)} is excluded still, by {_shown(around)}; to include that: {_shown(how)}")
    if args.json:
        print(json.dumps({"included": folder}))
    else:
        print(
            f"Included: {_shown(folder)}. What agents do there is captured from now on; what they did meanwhile is not."
        )
    return 0


def _list(args: Namespace) -> int:
    excluded = Exclusions()
    for problem in excluded.problems:
        print(f"memory: {one_line(printable(problem))}", file=sys.stderr)
    if args.json:
        print(json.dumps([{"folder": folder, "source": source} for folder, source in excluded.folders.items()]))
    elif excluded.folders:
        for folder, source in excluded.folders.items():
            print(_shown(folder) + (f"  (by ${source})" if source == exclusions.VARIABLE else ""))
    elif not excluded.unreadable:
        print("Nothing is excluded.")
    return 1 if excluded.unreadable else 0


def _meant(path: str | None) -> str:
    """Return the real folder that is meant: of a checkout's top folder, or without `path`, the whole repository."""
    try:
        folder = os.path.realpath(os.path.expanduser(path) if path else os.getcwd())
        project = places.of(folder)
    except (OSError, ValueError) as error:
        raise CommandError(f"that is no folder: {error}") from error
    is_whole = path is None or os.path.realpath(project.root) == folder
    return os.path.realpath(project.main) if project.is_repository and is_whole else folder


def _shown(folder: str) -> str:
    return readable(one_line(printable(folder)))
