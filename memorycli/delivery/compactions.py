"""Notes in the outbox that an agent's conversation was compacted, and what set that off."""

from __future__ import annotations

from pathlib import Path

from capture.local.transcripts.discovery import context_of
from memoryserver.client import home_folder, places
from memoryserver.client.http import Client
from memoryserver.client.outbox import Delivery, Outbox
from memoryserver.common import clock, ids
from memoryserver.common.hook_event import HookEvent

OUTBOX_KIND = "compactions"
ENDPOINT = "/capture/compactions"
TRIGGERS = ("manual", "auto", "proactive_monitor", "detected")


def deliver(client: Client, *, retry_refused: bool = False) -> Delivery:
    """Send the compactions that wait. Raises UnreachableError, and RefusedError for 401 and 403."""
    outbox = Outbox(home_folder.path(), OUTBOX_KIND)
    if retry_refused:
        outbox.put_back()
    return outbox.deliver(lambda content: client.post(ENDPOINT, content))


def note(event: HookEvent, project: Path) -> None:
    """Put the compaction that `event` announces into the outbox. Raises OSError."""
    identifier = str(ids.uuid7())
    trigger = event.word("trigger")
    Outbox(home_folder.path(), OUTBOX_KIND).put(
        identifier,
        {
            "id": identifier,
            "context_id": context_of(event.agent, _transcript(event)),
            "project": places.project_key(project),
            "trigger": trigger if trigger in TRIGGERS else "detected",
            "happened_at": clock.to_text(clock.now()),
        },
    )


def _transcript(event: HookEvent) -> Path:
    """The transcript of whose conversation is compacted: a sub-agent's events name its parent's."""
    path = Path(event.path("transcript_path"))
    if not path.stem:
        path = Path(event.session_id or "unknown")
    return path.parent / path.stem / "subagents" / f"agent-{event.agent_id}.jsonl" if event.agent_id else path
