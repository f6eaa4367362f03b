"""`memory capture run`: runs the daemon with this laptop's server, log and notifications."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import asdict

from capture.local import HttpsSink
from capture.local.queue.sink import ClosedSink, Sink
from capture.local.service.daemon import AlreadyRunningError, ContinuousCaptureDaemon, Cycle
from capture.local.service.logfile import LOG_FILE, SERVICE_LOG_FILE, truncate_if_large
from capture.local.service.stopping import stop_by_signals
from memorycli.commands.capturing.capture_summary import delivery_summary, scan_summary
from memorycli.delivery import alerts, connection
from memorycli.delivery import daemon as capture_upkeep
from memorycli.errors import CommandError
from memoryserver.client import home_folder


def run(args: Namespace) -> int:
    """Run one cycle, or cycles until a signal; return 0 after a signal too."""
    truncate_if_large(home_folder.path() / SERVICE_LOG_FILE)
    with stop_by_signals() as stop:
        daemon = ContinuousCaptureDaemon(
            home_folder.path(),
            sink,
            stop,
            roots=args.root,
            after_cycle=capture_upkeep.steps(home_folder.path()),
            alert=alerts.alert,
            recovered=alerts.recovered,
            on_cycle=_print_json if args.json else lambda _: None,
        )
        if not args.once and not args.json:
            print(
                f"Capturing every two to three minutes, until Ctrl-C; log: {home_folder.path() / LOG_FILE}",
                flush=True,
            )
        try:
            cycle = daemon.run(once=args.once)
        except AlreadyRunningError as error:
            raise CommandError(str(error)) from error
    if args.once and not args.json:
        print(f"{scan_summary(cycle.scanned)}\n{delivery_summary(cycle.delivered)}")
        if cycle.delivered.error:
            print(f"memory: {cycle.delivered.error}; waiting files are sent again later", file=sys.stderr)
    if args.once and cycle.errors:
        raise CommandError(cycle.errors[0])
    return 0


def sink() -> Sink:
    """Return the sink for the current server and token: the user may have logged in since the last cycle."""
    try:
        return HttpsSink(connection.load())
    except CommandError as error:
        return ClosedSink(str(error))


def _print_json(cycle: Cycle) -> None:
    print(json.dumps(asdict(cycle)), flush=True)
