"""The channel of recorded tool calls."""

from __future__ import annotations

from memorycli.delivery import report
from memorycli.delivery.report import ChannelReport
from memorycli.delivery.scope import Scope
from memoryserver.client.http import Client
from memoryserver.common.counted import counted
from memoryserver.common.files import LockTimeoutError
from trajectory.local import delivery, evaluate


def deliver(client: Client, scope: Scope) -> ChannelReport:
    """Send the calls that wait; end the sessions that have become silent. Raises UnauthorizedError, OSError."""
    try:
        evaluate.end_silent()
        calls = delivery.deliver(client.post, client.url, retry_failed=scope.retry_failed)
    except LockTimeoutError:
        return ChannelReport("another delivery is running")
    more = []
    if calls.discarded_bytes:
        more.append(f"{counted(calls.discarded_bytes, 'byte')} of the oldest calls discarded, more waited than is sent")
    if calls.removed:
        more.append(f"{counted(calls.removed, 'session')} not used for thirty days removed")
    details = (f"last failure: {calls.reason}",) if calls.failed else ()
    return report.of(calls, waiting="tool calls", more=tuple(more), details=details)
