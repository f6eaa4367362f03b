"""Ends of agents' sessions and sub-agents: into the outbox, from there to the server after the calls they end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memoryserver.client import delivery, home_folder
from memoryserver.client.delivery import Item, Report
from memoryserver.client.http import Client
from memoryserver.client.outbox import Outbox, OutboxChannel
from memoryserver.common import clock, ids
from memoryserver.common.hook_event import HookEvent

OUTBOX_KIND = "session_ends"
PATH = "/trajectory/ends"
BATCH = 200


class SessionEndChannel(OutboxChannel):
    """Sends up to 200 ends in a request; the answer has a result for each."""

    max_items = BATCH

    def body(self, items: Sequence[Item[Path]]) -> object:
        """Return {"ends": [...]}."""
        return {"ends": [item.content for item in items]}

    def reasons(self, answer: Any, items: Sequence[Item[Path]]) -> list[str | None]:
        """Return why each was refused, or None. Raises UnexpectedAnswerError."""
        return delivery.results(answer, [item.id for item in items])


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
    return delivery.deliver(SessionEndChannel(outbox(), PATH), client.post)
