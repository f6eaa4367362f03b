"""`memory config`: this laptop's settings, where each comes from, and how they are changed."""

from __future__ import annotations

import json
import sys
import textwrap
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client import config, places
from memoryserver.common.files import LockTimeoutError

HELP = "show and change this laptop's settings"
_WIDTH = 80


def configure(parser: ArgumentParser) -> None:
    """The actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="all settings, and where each comes from (the default)")
    getting = actions.add_parser("get", help="the value of one")
    setting = actions.add_parser("set", help="keep a value")
    unsetting = actions.add_parser("unset", help="forget a value that was kept")
    path = actions.add_parser("path", help="where the files are")
    for action in (getting, setting, unsetting):
        action.add_argument("key", metavar="KEY", choices=list(config.KEYS), help=", ".join(config.KEYS))
    setting.add_argument("value", metavar="VALUE")
    for action in (setting, unsetting, path):
        action.add_argument("--project", action="store_true", help="in the project's file, for all who work in it")
    for action in (parser, listing, getting):
        action.add_argument("--json", action="store_true", help="as JSON")


def run(args: Namespace) -> int:
    """Do the chosen action."""
    actions = {"list": _list, "get": _get, "set": _set, "unset": _unset, "path": _path}
    try:
        return actions[args.action or "list"](args)
    except (config.ConfigError, LockTimeoutError) as error:
        raise CommandError(str(error)) from error


def _list(args: Namespace) -> int:
    root = places.project_root()
    found = {name: _found(name, root) for name in config.KEYS}
    problems = config.problems(root)
    if args.json:
        print(json.dumps({"settings": found, "problems": problems}, indent=2))
        return 0
    for name, one in found.items():
        print(f"{name} = {_shown(one['value'])}  ({one['source']})")
        print(textwrap.fill(config.KEYS[name].about, _WIDTH, initial_indent="    ", subsequent_indent="    "))
    for problem in problems:
        print(f"memory: {problem}", file=sys.stderr)
    return 0


def _get(args: Namespace) -> int:
    found = _found(args.key, places.project_root())
    if args.json:
        print(json.dumps(found))
    elif found["value"] is not None:
        print(_shown(found["value"]))
    return 0 if found["value"] is not None else 1


def _set(args: Namespace) -> int:
    value = _allowed(args).parse(args.value)
    path = _file(args)
    config.write(path, args.key, value)
    root = places.project_root()
    now = config.find(args.key, root)
    if now.source != str(path):
        said = "; ".join(now.problems) or f"{now.source} says {_shown(now.value)}, and comes first"
        print(f"memory: kept in {path}, but {said}", file=sys.stderr)
    return 0


def _unset(args: Namespace) -> int:
    config.write(_file(args), args.key, None)
    return 0


def _path(args: Namespace) -> int:
    print(_file(args))
    return 0


def _found(name: str, root: Path) -> dict[str, Any]:
    found = config.find(name, root)
    if name == "server_url" and found.value is None and (url := connection.stored_url()):
        return {"value": url, "source": str(connection.credentials_path())}
    return {"value": found.value, "source": found.source}


def _allowed(args: Namespace) -> config.Key:
    key = config.KEYS[args.key]
    if key.owner:
        raise CommandError(f"{args.key} is not set here but by: {key.owner}")
    if args.project and not key.project:
        raise CommandError(f"{args.key} is not taken from a project's file; leave --project out")
    return key


def _file(args: Namespace) -> Path:
    return config.project_file(places.project_root()) if args.project else config.user_file()


def _shown(value: object) -> str:
    return "-" if value is None else json.dumps(value) if isinstance(value, bool) else str(value)
