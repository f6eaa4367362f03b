"""The options for what an entry taught."""

from __future__ import annotations

import argparse

from ghap.local import ROOT_CAUSE_CATEGORIES, Lesson, RootCause, resolution
from memorycli.arguments.inputs import read_text
from memorycli.arguments.journal import notices_on_stderr
from memorycli.errors import UsageError
from memoryserver.common import text


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options, all of them optional."""
    parser.add_argument("--surprise", metavar="TEXT", help="what was not expected")
    parser.add_argument(
        "--root-cause",
        metavar="CATEGORY",
        help=f"why it was wrong, with --cause: {', '.join(ROOT_CAUSE_CATEGORIES)}, or another such word",
    )
    parser.add_argument("--cause", metavar="TEXT", help="the root cause in words")
    parser.add_argument("--lesson", metavar="TEXT", help="what worked")
    parser.add_argument("--takeaway", metavar="TEXT", help="what to remember of it, with --lesson")


def read(args: argparse.Namespace) -> resolution.Learned:
    """Return what the options say. Raises UsageError; ends the program where some of them do not go together."""
    if (args.root_cause is None) != (args.cause is None):
        args.ghap_parser.error("--root-cause CATEGORY and --cause TEXT go together")
    if args.takeaway is not None and args.lesson is None:
        args.ghap_parser.error("--takeaway needs --lesson")
    surprise, cause = read_text(args.surprise, "--surprise"), read_text(args.cause, "--cause")
    worked, takeaway = read_text(args.lesson, "--lesson"), read_text(args.takeaway, "--takeaway")
    with notices_on_stderr():
        try:
            return resolution.learned(
                surprise,
                None if cause is None else RootCause(args.root_cause, cause),
                None if worked is None else Lesson(worked, takeaway),
            )
        except ValueError as error:
            raise UsageError(text.one_line(str(error))) from error
