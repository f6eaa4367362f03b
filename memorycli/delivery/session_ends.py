"""Ends of agents' sessions and sub-agents: into the outbox, from there to the server after the calls they end."""

from __future__ import annotations

from memoryserver.client import delivery, home_folder
from memoryserver.client.delivery import Report
from memoryserver.client.http import Client
from memoryserver.client.outbox import BatchChannel, Outbox
from memoryserver.common import clock, ids
from memoryserver.common.hook_event import HookEvent

OUTBOX_KIND = "session_ends"
PATH = "/trajectory/ends"
BATCH = 200


def outbox() -> Outbox:
    """Return the outbox in which ends wait."""
    return Outbox(home_folder.path(), OUTBOX_KIND)


def record(event: HookEvent) -> None:
    """Put the end of the event's session, or of its sub-agent, into the outbox. Raises OSError."""
    identifier = str(ids.uuid7())
    content = {
        "id": identifier,
        "session_id": event.session_id,
        "agent_id": event.agent_id,
        "ended_at": clock.to_text(clock.now()),
    }
    outbox().add(identifier, content)


def deliver(client: Client, *, retry_failed: bool = False) -> Report:
    """Send what waits, with `retry_failed` also what was set aside. Raises UnauthorizedError, OSError."""
    if retry_failed:
        outbox().put_back()
    return delivery.deliver(BatchChannel(outbox(), PATH, "ends", BATCH), client.post)
