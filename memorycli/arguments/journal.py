"""Runs a command on the project's journal and turns its errors into one line."""

from __future__ import annotations

import argparse
import contextlib
import logging
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from ghap.local import (
    GHAPAlreadyActiveError,
    GHAPError,
    Journal,
    NoActiveGHAPError,
    NoSuchEntryError,
    ResolvedBeforeError,
)
from memorycli.errors import CommandError
from memoryserver.client import exclusions, places
from memoryserver.common import text

_Result = TypeVar("_Result")
_Default = TypeVar("_Default")


_READING = ("show", "list")  # these commands change nothing
_RESOLVE = "ghap resolve STATUS --result TEXT"


def add_journal_option(parser: argparse.ArgumentParser) -> None:
    """Add `--journal DIR` and `--json`, which every command on the journal takes."""
    parser.add_argument(
        "--journal", metavar="DIR", type=_folder, help="the journal folder (default: .claude/journal of the project)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    action: Callable[[argparse.Namespace], None],
    help_line: str,
    **texts: Any,
) -> argparse.ArgumentParser:
    """Add and return the parser of a command on the journal, which `run_command` runs by `action`.

    `texts` are further arguments of the parser, such as `epilog`.
    """
    parser = commands.add_parser(name, help=help_line, description=help_line, **texts)
    add_journal_option(parser)
    parser.set_defaults(journal_run=action, journal_reads=name in _READING)
    return parser


def run_command(args: argparse.Namespace) -> int:
    """Run the command that `args` names and return the exit status.

    Raises CommandError for one that changes something in an excluded folder.
    """
    if not args.journal_reads and (excluded := exclusions.here()):
        raise CommandError(exclusions.refusal(excluded))
    args.journal_run(args)
    return 0


def folder(args: argparse.Namespace) -> Path:
    """Return the journal folder that `args` names, else that of the project around the current folder."""
    return args.journal or places.here().journal


def command(args: argparse.Namespace, words: str) -> str:
    """Return the `memory` command with `words` that works on the journal that `args` names, to be typed as it is."""
    settings = [part for setting in getattr(args, "settings", []) for part in ("-c", setting)]
    option = ["--journal", str(args.journal)] if args.journal else []
    return " ".join(part for part in ("memory", shlex.join(settings), words, shlex.join(option)) if part)


def none_active(args: argparse.Namespace) -> str:
    """Return that no entry is active, and how to begin one."""
    return f"no GHAP entry is active; begin one with: {command(args, 'ghap start')}"


def adopt_or_abandon(args: argparse.Namespace) -> str:
    """Return the commands for an entry that an earlier session left."""
    return f"{command(args, 'ghap adopt')}, or {command(args, 'ghap abandon-orphan --reason TEXT')}"


def change(args: argparse.Namespace, action: Callable[[Journal], _Result], otherwise: str = "") -> _Result:
    """Return the result of `action`, which changes what is there. Raises CommandError.

    Its text is `otherwise`, or that none is active, where there is no journal. None is created: in a folder where none
    is, it would only be in the way.
    """
    if not folder(args).exists():
        raise CommandError(otherwise or none_active(args))
    return run(args, action)


def run(args: argparse.Namespace, action: Callable[[Journal], _Result]) -> _Result:
    """Return the result of `action` on the journal, which is created where it is missing. Raises CommandError."""
    project = places.here()
    journal_dir = args.journal or project.journal
    with notices_on_stderr() as notices:
        try:
            journal = Journal(journal_dir, project=project.key())
            try:
                return action(journal)
            except NoSuchEntryError as error:
                message = _none_resolved(args, journal, error)
        except GHAPAlreadyActiveError as error:
            message = f"{error.about}; first: {_ways_to_end(args, is_orphan=error.is_orphan)}"
        except NoActiveGHAPError:
            message = none_active(args)
        except ResolvedBeforeError as error:
            amend = command(args, f"ghap amend {error.entry_id} --status STATUS --result TEXT")
            message = f"{error.about}; to correct that: {amend}; for other work: {command(args, 'ghap start')}"
        except (GHAPError, ValueError) as error:
            message = str(error)
        except OSError as error:
            is_file = isinstance(error, FileExistsError | NotADirectoryError)
            reason = "it is not a folder" if is_file else error.strerror or error
            message = f"the journal {journal_dir} cannot be used: {reason}"
        details = f" ({'; '.join(notices)})" if notices else ""
        notices.clear()
        raise CommandError(text.one_line(message + details))


def read(args: argparse.Namespace, action: Callable[[Journal], _Result], default: _Default) -> _Result | _Default:
    """Return the result of `action`; `default` where there is no journal, and none is created."""
    return run(args, action) if folder(args).exists() else default


def _ways_to_end(args: argparse.Namespace, *, is_orphan: bool) -> str:
    """Return the commands after which an entry can begin; `adopt` and `abandon-orphan` need an orphan."""
    abandon = "ghap abandon-orphan --reason TEXT" if is_orphan else "ghap abandon --reason TEXT"
    return f"{command(args, _RESOLVE)}, or {command(args, abandon)}"


def _none_resolved(args: argparse.Namespace, journal: Journal, error: NoSuchEntryError) -> str:
    if journal.get_all_entries():
        return f"{error}; see: {command(args, 'ghap list --all')}"
    if journal.get_current() is not None:
        return f"no entry was resolved in this journal yet; resolve the active one with: {command(args, _RESOLVE)}"
    return none_resolved(args)


def none_resolved(args: argparse.Namespace) -> str:
    """Return that the journal has no resolved entry, and how to begin one where none is active."""
    return f"no entry was resolved in this journal yet; begin one with: {command(args, 'ghap start')}"


def _folder(word: str) -> Path:
    if not word.strip():
        raise argparse.ArgumentTypeError("the folder is empty")
    return Path(word)


@contextlib.contextmanager
def notices_on_stderr() -> Iterator[list[str]]:
    """Collect what the journal logs (texts cut, damage set aside) and print it on standard error at the end."""
    notices: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: notices.append(text.one_line(record.getMessage()))  # type: ignore[method-assign]
    logger = logging.getLogger("ghap.local")
    logger.addHandler(handler)
    propagate, logger.propagate = logger.propagate, False
    try:
        yield notices
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate
        for notice in notices:
            print(f"memory: note: {notice}", file=sys.stderr)
