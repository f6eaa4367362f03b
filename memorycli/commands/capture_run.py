"""`memory capture run`: the daemon put together with this laptop's server, log and notifications."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import asdict

from capture.local import HttpsSink
from capture.local.queue.sink import ClosedSink, Sink
from capture.local.service.daemon import AlreadyRunningError, ContinuousCaptureDaemon, Cycle
from capture.local.service.logfile import LOG_FILE, SERVICE_LOG_FILE, bound
from capture.local.service.stopping import stop_by_signals
from memorycli.commands.capture_summary import delivered, scanned
from memorycli.delivery import alerts, connection
from memorycli.delivery import daemon as capture_upkeep
from memorycli.errors import CommandError
from memoryserver.client import home_folder


def run(args: Namespace) -> int:
    """Run until a signal says to end, or one cycle; 0 also after a signal."""
    bound(home_folder.path() / SERVICE_LOG_FILE)
    with stop_by_signals() as stop:
        daemon = ContinuousCaptureDaemon(
            home_folder.path(),
            sink,
            stop,
            roots=args.root,
            after_cycle=capture_upkeep.steps(home_folder.path()),
            alert=alerts.alert,
            recovered=alerts.recovered,
            done=_print_json if args.json else lambda _: None,
        )
        if not args.once and not args.json:
            print(
                f"Capturing every two to three minutes, until Ctrl-C; its log: {home_folder.path() / LOG_FILE}",
                flush=True,
            )
        try:
            cycle = daemon.run(once=args.once)
        except AlreadyRunningError as error:
            raise CommandError(str(error)) from error
    if args.once and not args.json:
        print(f"{scanned(cycle.scanned)}\n{delivered(cycle.delivered)}")
        if cycle.delivered.error:
            print(f"memory: {cycle.delivered.error}; what waits is sent again later", file=sys.stderr)
    if args.once and cycle.errors:
        raise CommandError(cycle.errors[0])
    return 0


def sink() -> Sink:
    """The server as it is now: somebody may have logged in since the last cycle."""
    try:
        return HttpsSink(connection.load())
    except CommandError as error:
        return ClosedSink(str(error))


def _print_json(cycle: Cycle) -> None:
    print(json.dumps(asdict(cycle)), flush=True)
