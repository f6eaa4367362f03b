"""Finds the module of the command that was asked for and runs it; imports no other.

A command is a module of this package with

    HELP: str                                         one line for the overview
    def configure(parser: ArgumentParser) -> None     its arguments; sub-commands by `add_subparsers`
    def run(args: Namespace) -> int                   does it; the exit status

`hook`, which runs at every tool call, is reached without argparse. Exit status: 0 done, 1 could not (one
line on standard error), 2 wrong usage.
"""

from __future__ import annotations

import sys

COMMANDS = {
    "capture": "learnings out of transcripts: scan them, deliver what was found",
    "ghap": "the journal: goal, hypothesis, action, prediction, and how it came out",
    "hook": "what an agent's hook calls; reads the event from standard input",
    "log": "write to and read from the observation log",
    "login": "tell this laptop which server to use",
    "search": "find entries and learnings by meaning",
    "session": "start, end or show the journal's session",
    "sync": "send what the server does not have yet",
    "trajectory": "record tool calls, show the assessment of them",
}


class CommandError(Exception):
    """What the user asked for could not be done; the text is one line that says why and what to do."""


def main(argv: list[str] | None = None) -> int:
    """Run `memory` with `argv` (by default the process' arguments) and return its exit status."""
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["hook"]:
        from memoryserver.cli.hook import hook

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


def _dispatch(argv: list[str]) -> int:
    import argparse
    import importlib

    from memoryserver import __version__

    chosen = next((word for word in argv if not word.startswith("-")), None)
    parser = argparse.ArgumentParser(prog="memory", description="The memory that coding agents share.")
    parser.add_argument("--version", action="version", version=f"memory {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    modules = {}
    for name, help_line in COMMANDS.items():
        command = commands.add_parser(name, help=help_line, description=help_line)
        if name == chosen:
            modules[name] = importlib.import_module(f"memoryserver.cli.{name}")
            modules[name].configure(command)
    args = parser.parse_args(argv)
    status: int = modules[args.command].run(args)
    return status
