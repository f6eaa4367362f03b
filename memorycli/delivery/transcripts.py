"""The part of `memory sync`, and of the daemon's cycle, that tells the server which contexts were read."""

from __future__ import annotations

import argparse

from capture.local.scanning import transcript_report
from capture.local.scanning.scanner import STATE_FOLDER
from memorycli.delivery.report import PartReport
from memoryserver.client import home_folder
from memoryserver.client.http import Client, RefusedError, UnreachableError

_UNKNOWN_THERE = 404


def part(args: argparse.Namespace, client: Client) -> PartReport:
    """Tell of what has changed; raises ServerError for a refused token, OSError."""
    try:
        count = deliver(client)
    except UnreachableError as error:
        return PartReport(f"offline: {error}", complete=False, offline=True)
    return PartReport(f"{count} told of" if count else "nothing new")


def deliver(client: Client) -> int:
    """Tell the server of contexts that have changed; how many. A server that is too old to be told is told nothing.

    Raises ServerError, OSError.
    """
    try:
        return transcript_report.report(home_folder.path() / STATE_FOLDER, client.post, server=client.url)
    except RefusedError as error:
        if error.status != _UNKNOWN_THERE:
            raise
        return 0
