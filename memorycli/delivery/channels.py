"""The one list of what leaves the laptop, in the order in which it is sent.

`memory sync`, the background sync of the hooks and the daemon of capture send these channels and no others. Each has
its name for people, and how it is delivered: through memoryserver.client.delivery, which decides what each answer of
the server means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from memorycli.delivery import (
    compactions,
    journals,
    learnings,
    manual_learnings,
    observations,
    report,
    session_ends,
    tool_calls,
    transcripts,
)
from memorycli.delivery.report import ChannelReport
from memorycli.delivery.scope import Scope
from memoryserver.client import context_cache, delivery, home_folder
from memoryserver.client.delivery import Report
from memoryserver.client.http import Client
from memoryserver.client.outbox import BatchChannel, Outbox

JOURNAL = "journal"
LEARNINGS = "learnings"
_CONTEXTS = 200  # that the server takes in a request

Channel = Callable[[Client, Scope], ChannelReport]


class _DeliverOutbox(Protocol):
    def __call__(self, client: Client, *, retry_failed: bool = False) -> Report: ...


def _outbox(deliver: _DeliverOutbox) -> Channel:
    return lambda client, scope: report.of(deliver(client, retry_failed=scope.retry_failed))


def deliver_contexts_given(client: Client, *, retry_failed: bool = False) -> Report:
    """Send which sessions got which copies of contexts. Raises UnauthorizedError, OSError."""
    outbox = Outbox(home_folder.path(), context_cache.DELIVERIES)
    if retry_failed:
        outbox.put_back()
    return delivery.deliver(BatchChannel(outbox, "/context/deliveries", "deliveries", _CONTEXTS), client.post)


CHANNELS: Mapping[str, Channel] = {
    JOURNAL: journals.deliver,
    LEARNINGS: learnings.deliver,
    "reports on transcripts": transcripts.deliver,
    "learnings by hand": _outbox(manual_learnings.deliver),
    "observations": _outbox(observations.deliver),
    "compactions": _outbox(compactions.deliver),
    "trajectory": tool_calls.deliver,
    "ends of sessions": _outbox(session_ends.deliver),
    "contexts given": _outbox(deliver_contexts_given),
}
