"""The parser of the `memory` command line; it imports the module of no command but those that are asked for."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from memorycli.arguments import examples
from memoryserver import __version__

COMMANDS = {
    "capture": "learnings from transcripts: scan transcripts, deliver what was found",
    "completion": "print a script that completes commands in your shell",
    "config": "show and change this laptop's settings",
    "doctor": "find what is wrong, and say how to fix it",
    "ghap": "the journal: goal, hypothesis, action, prediction, outcome",
    "hook": "run by an agent's hook; reads the event from standard input",
    "install": "add the hooks and the MCP server to an agent's settings",
    "log": "write to and read from the observation log",
    "login": "log in to the server that this laptop uses",
    "mcp": "offer the memory to an agent as tools (MCP)",
    "search": "find entries and learnings by meaning",
    "session": "start, end or show the journal's session",
    "status": "show what runs, what waits and what failed last",
    "sync": "send what the server does not have yet",
    "trajectory": "record tool calls, show their assessment",
    "uninstall": "remove from an agent's settings what install added",
}


_WITHOUT_VALUE = re.compile(r"argument (?:\S+/)?(--[\w-]+): expected .*argument")


class _Parser(argparse.ArgumentParser):
    """A parser, and by it all of its subparsers, that says how to give a value that begins with a dash."""

    _words: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse `args`, which `error` looks at."""
        self._words = list(args or ())
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Exit with status 2 and `message`, with a hint where a value was taken for an option."""
        if match := _WITHOUT_VALUE.match(message):
            option = match[1]
            following = dict(zip(self._words, self._words[1:], strict=False)).get(option, "")
            if following.startswith("-"):
                message += f"; a value that begins with a dash is given as {option}=VALUE"
        super().error(message)


def parser_of(*names: str) -> argparse.ArgumentParser:
    """Return the parser of `memory`: it lists every command, and has the arguments of those in `names`.

    The parsed namespace's `module` is the chosen command's module.
    """
    parser = _Parser(
        prog="memory",
        description="The memory that coding agents share.",
        epilog=examples.overview(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"memory {__version__}")
    parser.add_argument(
        "-c", metavar="KEY=VALUE", action="append", default=[], dest="settings", help="a setting, for this run only"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, help_line in COMMANDS.items():
        command = commands.add_parser(name, help=help_line, description=help_line)
        if name in names and name != "hook":  # which takes no arguments, and is nearly always reached without this
            module = importlib.import_module(f"memorycli.commands.{name}")
            if epilog := examples.of(name):
                command.epilog, command.formatter_class = epilog, argparse.RawDescriptionHelpFormatter
            module.configure(command)
            command.set_defaults(module=module)
    return parser
