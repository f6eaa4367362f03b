"""The outboxes by the names that people know, and how each is sent; `memory sync` and the daemon send them all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from memorycli.commands import log
from memorycli.delivery import compactions, manual_learnings
from memoryserver.client.http import Client
from memoryserver.client.outbox import Delivery


class Deliver(Protocol):
    """Sends what waits, with `retry_refused` also what was refused before. Raises ServerError."""

    def __call__(self, client: Client, *, retry_refused: bool = False) -> Delivery: ...


OUTBOXES: Mapping[str, Deliver] = {
    "learnings by hand": manual_learnings.deliver,
    "observations": log.deliver,
    "compactions": compactions.deliver,
}
