"""Compactions of agents' conversations: into the outbox, from there to the server one by one."""

from __future__ import annotations

from pathlib import Path

from capture.local.transcripts.discovery import context_id_of
from memoryserver.client import delivery, home_folder, places
from memoryserver.client.delivery import Report
from memoryserver.client.http import Client
from memoryserver.client.outbox import Outbox, OutboxChannel
from memoryserver.common import clock, ids
from memoryserver.common.hook_event import HookEvent

OUTBOX_KIND = "compactions"
ENDPOINT = "/capture/compactions"
TRIGGERS = ("manual", "auto", "proactive_monitor", "detected")


def outbox() -> Outbox:
    """Return the outbox in which compactions wait."""
    return Outbox(home_folder.path(), OUTBOX_KIND)


def deliver(client: Client, *, retry_failed: bool = False) -> Report:
    """Send what waits, with `retry_failed` also what was set aside. Raises UnauthorizedError, OSError."""
    if retry_failed:
        outbox().put_back()
    return delivery.deliver(OutboxChannel(outbox(), ENDPOINT), client.post)


def record(event: HookEvent, project: Path) -> None:
    """Put the compaction that `event` announces into the outbox. Raises OSError."""
    identifier = str(ids.uuid7())
    trigger = event.word("trigger")
    outbox().add(
        identifier,
        {
            "id": identifier,
            "context_id": context_id_of(event.agent, _transcript(event)),
            "project": places.project_key(project),
            "trigger": trigger if trigger in TRIGGERS else "detected",
            "happened_at": clock.to_text(clock.now()),
        },
    )


def _transcript(event: HookEvent) -> Path:
    """Return the transcript of the compacted conversation: a sub-agent's events name its parent's."""
    path = Path(event.path("transcript_path"))
    if not path.stem:
        path = Path(event.session_id or "unknown")
    return path.parent / path.stem / "subagents" / f"agent-{event.agent_id}.jsonl" if event.agent_id else path
