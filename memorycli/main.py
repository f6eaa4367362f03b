"""Finds the module of the requested command and runs it, without importing any other.

A command is a module of `memorycli.commands` with

    def configure(parser: ArgumentParser) -> None     adds its arguments
    def run(args: Namespace) -> int                   runs it; returns the exit status

`hook`, which runs at every tool call, is reached without argparse. Exit status: 0 done, 1 could not (one
line on standard error), 2 wrong usage.
"""

from __future__ import annotations

import sys

from memorycli.errors import CommandError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def main(argv: list[str] | None = None) -> int:
    """Run `memory` with `argv` (by default the process' arguments) and return its exit status."""
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["hook"] and argv[1:2] not in (["-h"], ["--help"]):
        from memorycli.hook.events import hook

        return hook(argv[1:])
    try:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a narrow terminal encoding must not end in a traceback
                stream.reconfigure(errors=_encodable())  # flushes, so it fails as any write does
        return _dispatch(argv)
    except CommandError as error:
        return _fail(error)
    except BrokenPipeError:
        # The reader (`| head`) went away; point stdout elsewhere so that the exit does not complain.
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        return _fail(OSError(f"{error.filename}: {error.strerror}") if error.filename and error.strerror else error)


def _encodable() -> str:
    """Return the name of an error handler for streams: bytes that are not UTF-8 are U+FFFD, other letters escapes."""
    import codecs

    from memoryserver.common.text import clean

    def encode(error: UnicodeError) -> tuple[bytes, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        part = clean(error.object[error.start : error.end])
        return part.encode(error.encoding, "backslashreplace"), error.end

    codecs.register_error("memory.encodable", encode)
    return "memory.encodable"


def _fail(error: Exception) -> int:
    """Print the error, redacted, since it may quote what was given, and return the exit status."""
    from memoryserver.common.redaction import redact
    from memoryserver.common.text import readable

    print(f"memory: {readable(redact(str(error)).text)}", file=sys.stderr)
    return 2 if isinstance(error, UsageError) else 1


def _command_in(argv: list[str]) -> str:
    words = iter(argv)
    for word in words:
        if word == "-c":
            next(words, None)  # its value
        elif not word.startswith("-"):
            return word
    return ""


def _clean_texts(args: argparse.Namespace) -> None:
    """Replace bytes that are not UTF-8 by U+FFFD in every text argument; a Path keeps them, to name its file."""
    from memoryserver.common.text import clean_json

    for name, value in vars(args).items():
        if isinstance(value, str | list):
            setattr(args, name, clean_json(value))


def _dispatch(argv: list[str]) -> int:
    from memorycli.parser import parser_of
    from memoryserver.client import config

    parser = parser_of(_command_in(argv))
    if not argv:
        parser.print_help()
        return 0
    args = parser.parse_args(argv)
    _clean_texts(args)
    try:
        _take_settings(args.settings)
        return _run(args)
    finally:
        config.clear_flags()  # of this call alone, where one process makes several


def _take_settings(settings: list[str]) -> None:
    """Let the settings given with `-c` hold; raise UsageError for one that cannot."""
    from memoryserver.client import config

    try:
        for setting in settings:
            config.flag(setting)
    except config.ConfigError as error:
        raise UsageError(f"-c: {error}") from error


def _run(args: argparse.Namespace) -> int:
    if args.command == "hook":
        from memorycli.hook.events import hook

        return hook([])
    status: int = args.module.run(args)
    return status
