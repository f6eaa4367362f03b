"""`memory capture scan`: reads what is new in the transcripts and queues its learnings."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import asdict

from capture.local.scanning.scanner import scan
from capture.local.service.logfile import LOG_FILE
from memorycli.commands.capturing.capture_summary import LOCK_TIMEOUT, scan_summary
from memorycli.errors import CommandError
from memorycli.rendering.progress import Progress
from memoryserver.client import home_folder
from memoryserver.common.text import one_line


def run(args: Namespace) -> int:
    """Scan once. Raises CommandError if a transcript could not be read."""
    with Progress("Reading transcripts") as progress:
        report = scan(home_folder.path(), args.root, lock_timeout=LOCK_TIMEOUT, progress=progress.update)
    print(json.dumps(asdict(report)) if args.json else scan_summary(report))
    if report.problems:
        more = (
            f" (and {len(report.problems) - 1} more, see {home_folder.path() / LOG_FILE})"
            if report.problems[1:]
            else ""
        )
        raise CommandError(f"could not capture {one_line(report.problems[0])}{more}")
    return 0
