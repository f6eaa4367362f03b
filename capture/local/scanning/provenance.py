"""Where learnings come from: the metadata of a queue file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from capture.local.transcripts.discovery import Transcript
from capture.local.transcripts.messages import Message
from memoryserver.client import places
from memoryserver.common.redaction import redact

_MOST_TOOLS = 50


def metadata(transcript: Transcript, messages: Sequence[Message], redacted: Mapping[str, int]) -> dict[str, Any]:
    """Of the capture of `messages`; `redacted` counts by kind what was cut out of them."""
    cwd = _first(message.cwd for message in messages)
    tools = (use.name for message in messages for use in message.uses if use.name)
    described = {
        "agent": transcript.reader.agent_name(transcript.path),
        "agent_kind": transcript.reader.agent_kind,
        "session_id": _first(message.session for message in messages) or transcript.path.stem,
        "project": project_of(cwd),
        "cwd": cwd,
        "branch": _first(message.branch for message in reversed(messages)),
        "transcript": str(transcript.path),
    }
    safe: dict[str, Any] = {name: redact(value).text for name, value in described.items()}
    return {**safe, "tools_used": list(dict.fromkeys(tools))[:_MOST_TOOLS], "redacted": dict(redacted)}


def project_of(cwd: str) -> str:
    """The key of the project that work in `cwd` belonged to, "" where that is not known.

    Of a folder that is gone (a worktree, another machine's) it is that of the repository it lay in, else its
    own name.
    """
    folder = Path(cwd)
    if folder.is_absolute():  # a folder of Windows is none here
        if folder.is_dir():
            return places.project_key(places.project_root(folder), environment=False)
        around = next((parent for parent in folder.parents if (parent / ".git").exists()), None)
        if around is not None:
            return places.project_key(around, environment=False)
    parts = [part for part in re.split(r"[\\/]", cwd) if part]
    return parts[-1] if parts else ""


def _first(values: Any) -> str:
    return next(filter(None, values), "")
