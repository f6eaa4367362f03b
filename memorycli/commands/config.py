"""`memory config`: show this laptop's settings and where each comes from, and change them."""

from __future__ import annotations

import json
import sys
import textwrap
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from memorycli.delivery import connection
from memorycli.errors import CommandError, UsageError
from memorycli.rendering import terminal
from memoryserver.client import config, places
from memoryserver.common.files import LockTimeoutError


def configure(parser: ArgumentParser) -> None:
    """Add the actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="all settings, and where each comes from (the default)")
    getting = actions.add_parser("get", help="print the value of one setting")
    setting = actions.add_parser("set", help="set a value")
    unsetting = actions.add_parser("unset", help="remove a value that was set")
    path = actions.add_parser("path", help="print where the file is")
    for action in (getting, setting, unsetting):
        action.add_argument("key", metavar="KEY", choices=list(config.KEYS), help=", ".join(config.KEYS))
    setting.add_argument("value", metavar="VALUE")
    for action in (setting, unsetting, path):
        action.add_argument("--project", action="store_true", help="in the project's file, for everybody in it")
    for action in (parser, listing, getting):
        action.add_argument("--json", action="store_true", help="as JSON")


def run(args: Namespace) -> int:
    """Run the chosen action."""
    actions = {"list": _list, "get": _get, "set": _set, "unset": _unset, "path": _path}
    try:
        return actions[args.action or "list"](args)
    except (config.ConfigError, LockTimeoutError) as error:
        raise CommandError(str(error)) from error


def _list(args: Namespace) -> int:
    root = places.project_root()
    settings = {name: _resolved(name, root) for name in config.KEYS}
    problems = config.problems(root)
    if args.json:
        print(json.dumps({"settings": settings, "problems": problems}, indent=2))
        return 0
    width = terminal.text_width()
    for name, setting in settings.items():
        print(f"{name} = {_displayed(setting['value'])}  ({setting['source']})")
        print(textwrap.fill(config.KEYS[name].about, width, initial_indent="    ", subsequent_indent="    "))
    for problem in problems:
        print(f"memory: {problem}", file=sys.stderr)
    return 0


def _get(args: Namespace) -> int:
    setting = _resolved(args.key, places.project_root())
    if args.json:
        print(json.dumps(setting))
    elif setting["value"] is not None:
        print(_displayed(setting["value"]))
    return 0 if setting["value"] is not None else 1


def _set(args: Namespace) -> int:
    value = _allowed(args).parse(args.value)
    path = _file(args)
    config.write(path, args.key, value)
    root = places.project_root()
    effective = config.find(args.key, root)
    if effective.source != str(path):
        overridden = f"{effective.source} takes precedence with {_displayed(effective.value)}"
        print(f"memory: saved in {path}, but {'; '.join(effective.problems) or overridden}", file=sys.stderr)
    return 0


def _unset(args: Namespace) -> int:
    config.write(_file(args), args.key, None)
    return 0


def _path(args: Namespace) -> int:
    print(_file(args))
    return 0


def _resolved(name: str, root: Path) -> dict[str, Any]:
    setting = config.find(name, root)
    if name == "server_url" and setting.value is None and (url := connection.stored_url()):
        return {"value": url, "source": str(connection.credentials_path())}
    return {"value": setting.value, "source": setting.source}


def _allowed(args: Namespace) -> config.Key:
    key = config.KEYS[args.key]
    if key.owner:
        raise UsageError(f"{args.key} cannot be set here; use: {key.owner}")
    if args.project and not key.project:
        raise UsageError(f"{args.key} cannot be set in a project's file; leave out --project")
    return key


def _file(args: Namespace) -> Path:
    return config.project_file(places.project_root()) if args.project else config.user_file()


def _displayed(value: object) -> str:
    return "-" if value is None else json.dumps(value) if isinstance(value, bool) else str(value)
