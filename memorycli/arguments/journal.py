"""Runs a command on the project's journal and turns its errors into one line."""

from __future__ import annotations

import argparse
import contextlib
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from ghap.local import GHAPAlreadyActiveError, GHAPError, Journal, NoActiveGHAPError
from memorycli.errors import CommandError
from memoryserver.client import places
from memoryserver.common import text

_Result = TypeVar("_Result")
_Default = TypeVar("_Default")

NONE_ACTIVE = "no GHAP entry is active; begin one with: memory ghap start"


def add_journal_option(parser: argparse.ArgumentParser) -> None:
    """Add `--journal DIR` and `--json`, which every command on the journal takes."""
    parser.add_argument(
        "--journal", metavar="DIR", type=_folder, help="the journal folder (default: .claude/journal of the project)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def folder(args: argparse.Namespace) -> Path:
    """Return the journal folder that `args` names, else that of the project around the current folder."""
    return args.journal or places.here().journal


def change(args: argparse.Namespace, action: Callable[[Journal], _Result], otherwise: str = NONE_ACTIVE) -> _Result:
    """Return the result of `action`, which changes what is there. Raises CommandError `otherwise` without a journal.

    None is created: in a folder where none is, it would only be in the way.
    """
    if not folder(args).exists():
        raise CommandError(otherwise)
    return run(args, action)


def run(args: argparse.Namespace, action: Callable[[Journal], _Result]) -> _Result:
    """Return the result of `action` on the journal, which is created where it is missing. Raises CommandError."""
    project = places.here()
    journal_dir = args.journal or project.journal
    with notices_on_stderr() as notices:
        try:
            return action(Journal(journal_dir, project=project.key()))
        except GHAPAlreadyActiveError as error:
            message = f"{error.about}; first: memory ghap resolve, adopt, abandon or abandon-orphan"
        except NoActiveGHAPError:
            message = NONE_ACTIVE
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
