"""Builds the metadata of a queue file: where its learnings come from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from capture.local.transcripts.discovery import Transcript
from capture.local.transcripts.messages import Message
from memoryserver.client import places
from memoryserver.common.redaction import redact

_MAX_TOOLS = 50


def metadata(transcript: Transcript, messages: Sequence[Message], redacted: Mapping[str, int]) -> dict[str, Any]:
    """Return the metadata of a capture of `messages`; `redacted` counts the redacted secrets by kind."""
    cwd = _first(message.cwd for message in messages)
    tools = (use.name for message in messages for use in message.uses if use.name)
    fields = {
        "agent": transcript.reader.agent_name(transcript.path),
        "agent_kind": transcript.reader.agent_kind,
        "session_id": _first(message.session for message in messages) or transcript.path.stem,
        "project": project_of(cwd),
        "cwd": cwd,
        "branch": _first(message.branch for message in reversed(messages)),
        "transcript": str(transcript.path),
    }
    safe: dict[str, Any] = {name: redact(value).text for name, value in fields.items()}
    return {**safe, "tools_used": list(dict.fromkeys(tools))[:_MAX_TOOLS], "redacted": dict(redacted)}


def project_of(cwd: str) -> str:
    """Return the key of the project that `cwd` belongs to, "" if it is unknown.

    For a missing folder (a worktree, another machine's) it is that of the enclosing repository, else the
    folder's own name.
    """
    folder = Path(cwd)
    if folder.is_absolute():  # false for a Windows path here
        if folder.is_dir():
            return places.project_key(places.project_root(folder), environment=False)
        repository = next((parent for parent in folder.parents if (parent / ".git").exists()), None)
        if repository is not None:
            return places.project_key(repository, environment=False)
    parts = [part for part in re.split(r"[\\/]", cwd) if part]
    return parts[-1] if parts else ""


def _first(values: Any) -> str:
    return next(filter(None, values), "")
