"""`memory sync`: send what the server does not have yet.

`--background` is how hooks do it: silent, one at a time, and after a failure not before the pause in `sync_state`.
"""

from __future__ import annotations

import argparse
import json

from memorycli.arguments.journal import add_journal_option, notices_on_stderr
from memorycli.delivery import background, connection, leftovers, quota, scope, sync
from memorycli.delivery.report import ChannelReport
from memorycli.errors import CommandError
from memorycli.rendering.progress import Progress
from memoryserver.client import discarded, home_folder
from memoryserver.client.outbox import Outbox, kinds
from memoryserver.common import files
from memoryserver.common.counted import counted
from memoryserver.common.files import LockTimeoutError
from memoryserver.common.text import one_line, printable

_PATIENCE = background.LONGEST_SECONDS + 5.0  # seconds to wait for another sync; one in the background ends before


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `memory sync`."""
    add_journal_option(parser)
    parser.add_argument("--retry-failed", action="store_true", help="send again what the server refused before")
    parser.add_argument(
        "--drop-failed", action="store_true", help="instead: delete what waited in the outbox and was refused"
    )
    parser.add_argument("--retry-refused", action="store_true", dest="retry_failed", help=argparse.SUPPRESS)
    parser.add_argument("--strict", action="store_true", help="exit with 1 when offline or when something was refused")
    parser.add_argument(
        "--background", action="store_true", help="quiet; skip if a sync is running or backing off, as hooks do"
    )


def run(args: argparse.Namespace) -> int:
    """Send each channel; being offline is normal and not an error unless `--strict`."""
    if args.background:
        if problems := background.run():
            raise CommandError("; ".join(problems))
        return 0
    if args.drop_failed:
        return _drop_failed()
    is_over_quota = quota.enforce()
    leftovers.sweep()
    client = connection.load()
    try:
        with files.lock(sync.lock_path(), timeout=_PATIENCE), notices_on_stderr(), Progress("Syncing") as progress:
            what = scope.of_project(args.journal, retry_failed=args.retry_failed, ignore_pauses=True)
            sent = sync.send(client, what, progress.update)
    except LockTimeoutError as error:
        raise CommandError(f"another sync is running: {error}") from error
    if is_over_quota:
        sent.reports["outbox"] = ChannelReport(_discarded())
    _print(args, sent, client.url)
    errors = sent.problems + (sent.incomplete() if args.strict else [])
    if errors:
        raise CommandError("; ".join(errors))
    return 0


def _drop_failed() -> int:
    """Delete what the server refused of the outbox, and print each item. Journal entries stay in their journal."""
    home = home_folder.path()
    lines = [
        f"dropped {kind}/{identifier}: {one_line(printable(reason))}"
        for kind in kinds(home)
        for identifier, reason in Outbox(home, kind).drop_failed()
    ]
    print("\n".join(lines) or "Nothing in the outbox was refused.")
    return 0


def _discarded() -> str:
    total = discarded.load()
    numbers = f"{counted(total.tool_calls, 'tool call')} and {counted(total.observations, 'observation')}"
    return f"above its quota of {quota.limit() // quota.MEGABYTE} MB; discarded in all: {numbers}, the oldest first"


def _print(args: argparse.Namespace, sent: sync.Sent, server: str) -> None:
    if args.json:
        print(json.dumps({name: report.as_json() for name, report in sent.reports.items()}, indent=2))
        return
    news = {name: report for name, report in sent.reports.items() if report.has_news}
    for name, report in news.items():
        print(f"{name}: {report.line}")
        for detail in report.details:
            print(f"  {detail}")
    if not news and not sent.problems:
        print(f"Nothing new: {server} has everything.")
