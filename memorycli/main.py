"""Finds the module of the command that was asked for and runs it; imports no other.

A command is a module of `memorycli.commands` with

    HELP: str                                         one line for the overview
    def configure(parser: ArgumentParser) -> None     its arguments; sub-commands by `add_subparsers`
    def run(args: Namespace) -> int                   does it; the exit status

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
    "capture": "learnings out of transcripts: scan them, deliver what was found",
    "completion": "let your shell complete the commands, options and values",
    "config": "show and change this laptop's settings",
    "doctor": "find what is wrong, and say what mends it",
    "ghap": "the journal: goal, hypothesis, action, prediction, and how it came out",
    "hook": "what an agent's hook calls; reads the event from standard input",
    "install": "put the hooks and the MCP server into an agent's settings",
    "log": "write to and read from the observation log",
    "login": "tell this laptop which server to use",
    "mcp": "offer the memory to an agent as tools (MCP)",
    "search": "find entries and learnings by meaning",
    "session": "start, end or show the journal's session",
    "status": "what runs, what waits, what went wrong last",
    "sync": "send what the server does not have yet",
    "trajectory": "record tool calls, show the assessment of them",
    "uninstall": "take out of an agent's settings what install put in",
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
    """The parser of `memory`: it knows every command by name, and the arguments of those in `names`.

    `module` of what it parses is the chosen command's module.
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
        "-c", metavar="KEY=VALUE", action="append", default=[], dest="settings", help="a setting, for this run alone"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, help_line in COMMANDS.items():
        command = commands.add_parser(name, help=help_line, description=help_line)
        if name in names and name != "hook":  # which takes no arguments, and is nearly always reached without this
            module = importlib.import_module(f"memorycli.commands.{name}")
            if said := examples.of(name):
                command.epilog, command.formatter_class = said, argparse.RawDescriptionHelpFormatter
            module.configure(command)
            command.set_defaults(module=module)
    return parser


def _command_in(argv: list[str]) -> str:
    words = iter(argv)
    for word in words:
        if word == "-c":
            next(words, None)  # what it is given
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
