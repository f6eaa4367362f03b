"""Finds the module of the requested command and runs it, without importing any other.

A command is a module of `memorycli.commands` with

    HELP: str                                         one line for `memory --help`
    def configure(parser: ArgumentParser) -> None     adds its arguments
    def run(args: Namespace) -> int                   runs it; returns the exit status

`hook`, which runs at every tool call, is reached without argparse. Exit status: 0 done, 1 could not (one
line on standard error), 2 wrong usage.
"""

from __future__ import annotations

import sys

from memorycli.errors import CommandError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

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


def main(argv: list[str] | None = None) -> int:
    """Run `memory` with `argv` (by default the process' arguments) and return its exit status."""
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["hook"]:
        from memorycli.hook.events import hook

        return hook(argv[1:])
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a narrow terminal encoding must not end in a traceback
            stream.reconfigure(errors="backslashreplace")
    try:
        return _dispatch(argv)
    except CommandError as error:
        print(f"memory: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader (`| head`) went away; point stdout elsewhere so that the exit does not complain.
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        print(f"memory: {error}", file=sys.stderr)
        return 1


def parser_of(*names: str) -> argparse.ArgumentParser:
    """Return the parser of `memory`: it lists every command, and has the arguments of those in `names`.

    The parsed namespace's `module` is the chosen command's module.
    """
    import argparse
    import importlib

    from memorycli.arguments import examples
    from memoryserver import __version__

    parser = argparse.ArgumentParser(
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


def _command_in(argv: list[str]) -> str:
    words = iter(argv)
    for word in words:
        if word == "-c":
            next(words, None)  # its value
        elif not word.startswith("-"):
            return word
    return ""


def _dispatch(argv: list[str]) -> int:
    from memoryserver.client import config

    args = parser_of(_command_in(argv)).parse_args(argv)
    config.clear_flags()
    try:
        for setting in args.settings:
            config.flag(setting)
    except config.ConfigError as error:
        raise CommandError(f"-c: {error}") from error
    if args.command == "hook":
        from memorycli.hook.events import hook

        return hook([])
    status: int = args.module.run(args)
    return status
