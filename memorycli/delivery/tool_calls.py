"""The part of `memory sync` that sends tool calls and fetches the configuration of the observers."""

from __future__ import annotations

import argparse

from memorycli.delivery import observer_config
from memorycli.delivery.report import PartReport
from memorycli.errors import CommandError
from memoryserver.client import places
from memoryserver.client.http import Client, UnreachableError
from memoryserver.common.files import LockTimeoutError
from trajectory.local import delivery


def part(args: argparse.Namespace, client: Client) -> PartReport:
    """Send what waits, then ask which observers run in this project; raises ServerError for a refused token."""
    try:
        done = delivery.deliver(client.post, client.url, retry_refused=args.retry_refused)
    except UnreachableError as error:
        return PartReport(f"offline, tool calls wait: {error}", complete=False, offline=True)
    except LockTimeoutError:
        return PartReport("another delivery is at work")
    details = [f"last refusal: {done.reason}"] if done.refused else []
    try:
        observer_config.refresh(places.project_key(places.project_root()), client)
    except CommandError as error:
        details.append(f"configuration: {error}")
    return PartReport(_line(done), tuple(details), complete=not done.refused)


def _line(done: delivery.Delivered) -> str:
    said = [f"{done.sent} calls sent" if done.sent else "nothing new"]
    if done.refused:
        said.append(f"{done.refused} refused and kept (send them again with --retry-refused)")
    if done.dropped_bytes:
        said.append(f"{done.dropped_bytes} bytes of the oldest calls dropped, more waited than is sent")
    if done.removed:
        said.append(f"{done.removed} sessions not used for thirty days removed")
    return ", ".join(said)
