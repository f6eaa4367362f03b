"""Builds the metadata of a queue file: where its learnings come from.

A session belongs to one project, that of the folder in which it began, wherever its shell goes later and however often
it is scanned. A sub-agent belongs to the session that started it.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from capture.local.scanning import gone_folders
from capture.local.scanning.state import CaptureState
from capture.local.transcripts.discovery import Transcript
from capture.local.transcripts.messages import Message
from capture.local.transcripts.reader import Reader
from memoryserver.client import places
from memoryserver.client.exclusions import Exclusions
from memoryserver.common import project_key
from memoryserver.common.digest import digest
from memoryserver.common.redaction import redact

_log = logging.getLogger(__name__)
_MAX_TOOLS = 50
_HEAD_BYTES = 256 * 1024  # of a transcript, in which the folder of the work is named
_MOST_SIBLINGS = 20  # transcripts of one session that are asked for their folders
_ASKED_AGAIN_AFTER = 60  # seconds, about a folder that is gone


def metadata(
    transcript: Transcript, messages: Sequence[Message], redacted: Mapping[str, int], project: str
) -> dict[str, Any]:
    """Return the metadata of a capture of `messages`; `redacted` counts the redacted secrets by kind.

    `project` is the session's; `cwd` is where the shell was at the first of the messages.
    """
    tools = (use.name for message in messages for use in message.uses if use.name)
    fields = {
        "agent": transcript.reader.agent_name(transcript.path),
        "agent_kind": transcript.reader.agent_kind,
        "session_id": _first(message.session for message in messages) or transcript.path.stem,
        "project": project,
        "cwd": _first(message.cwd for message in messages),
        "branch": _first(message.branch for message in reversed(messages)),
        "transcript": str(transcript.path),
    }
    safe: dict[str, Any] = {name: redact(value).text for name, value in fields.items()}
    return {**safe, "tools_used": list(dict.fromkeys(tools))[:_MAX_TOOLS], "redacted": dict(redacted)}


class Projects:
    """Finds the projects of sessions; each folder is looked up once, so an instance must not live long."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._exclusions = Exclusions()
        self._of_gone: dict[tuple[str, str, str], str] = {}

    def locate(self, transcript: Transcript, state: CaptureState, messages: Sequence[Message]) -> str:
        """Return the project of the transcript's session, "" if it is unknown; `state` remembers it and its folder.

        `messages` are the next to be captured. Where nothing tells, as of another machine's folder, it is named after
        the folder; this is not remembered, and asked again with later messages.
        """
        if not state.project:
            main = transcript.reader.main_transcript(transcript.path, _first(message.session for message in messages))
            if not state.cwd and main is not None:
                state.cwd = _first(_head_folders(transcript.reader, main))
            if not state.cwd and (state.last_message_index or not messages):  # of a version that did not remember it
                state.cwd = _first(_head_folders(transcript.reader, transcript.path))
            if not state.cwd:
                state.cwd = _first(message.cwd for message in messages)
            if state.cwd and not _was_asked(state, messages):
                state.project = self._project_of(transcript, state.cwd, messages)
                state.asked = None if state.project else (time.time(), _evidence(messages))
        return state.project or project_key.of_unknown_folder(state.cwd)

    def included(self, transcript: Transcript, state: CaptureState, messages: Sequence[Message]) -> Sequence[Message]:
        """Return those of `messages` that were not written in an excluded folder; call `locate` first.

        Of a session that began in one there are none, wherever its shell went later.
        """
        if not self._exclusions:
            return messages
        if self.is_excluded(transcript, state, branch=_first(message.branch for message in messages)):
            return []
        return [message for message in messages if not self._exclusions.of(message.cwd)]

    def is_excluded(self, transcript: Transcript, state: CaptureState, *, branch: str = "") -> bool:
        """Return whether the session began in an excluded folder, or in one that is gone and most likely was one."""
        if not self._exclusions or not state.cwd:
            return False
        if self._exclusions.of(state.cwd):
            return True
        if not Path(state.cwd).is_absolute() or Path(state.cwd).is_dir() or places.of(state.cwd).main:
            return False
        gone = (state.cwd, transcript.reader.slug(transcript.path), branch)
        if gone not in self._of_gone:
            self._of_gone[gone] = gone_folders.main_of(gone[0], slug=gone[1], branch=branch)
        return bool(self._exclusions.of(self._of_gone[gone]))

    def _project_of(self, transcript: Transcript, cwd: str, messages: Sequence[Message]) -> str:
        key = self._key(cwd)
        if key or not Path(cwd).is_absolute():
            return key
        others = dict.fromkeys(message.cwd for message in messages if message.cwd)
        siblings = transcript.reader.session_transcripts(transcript.path)[:_MOST_SIBLINGS]
        for sibling in siblings:
            others |= dict.fromkeys(_head_folders(transcript.reader, sibling))
        others.pop(cwd, None)  # already known to be in no repository
        for folder in others:
            if (project := places.of(folder)).is_repository:
                return project.key(environment=False)
        branch = _first(message.branch for message in messages)
        return gone_folders.project_of(cwd, slug=transcript.reader.slug(transcript.path), branch=branch)

    def _key(self, cwd: str) -> str:
        if cwd not in self._keys:
            self._keys[cwd] = project_of(cwd)
        return self._keys[cwd]


def _was_asked(state: CaptureState, messages: Sequence[Message]) -> bool:
    """Return whether the project was looked for a moment ago and not found, and nothing new is known.

    To look for a folder that no longer exists is a fifth of what a new line costs, and each line of a session asks.
    """
    at, evidence = state.asked or (0.0, "")
    is_recent = 0 <= time.time() - at < _ASKED_AGAIN_AFTER
    return is_recent and evidence == _evidence(messages) and not os.path.isdir(state.cwd)


def _evidence(messages: Sequence[Message]) -> str:
    """Return a digest of what the messages tell of a folder that is gone: the branch, and where they were made."""
    folders = sorted({message.cwd for message in messages})
    facts = [_first(message.branch for message in messages), *folders]
    return digest("\0".join(facts).encode("utf-8", "replace"))


def project_of(cwd: str) -> str:
    """Return the key of the project that `cwd` belongs to, "" if it is unknown, as of another machine's folder."""
    if "\0" in cwd or not Path(cwd).is_absolute():  # false for a Windows path here
        return ""
    project = places.of(cwd)
    key = project.key(environment=False)
    if project.is_repository:
        try:
            places.record(project)
        except OSError as error:  # it is remembered at the next scan
            _log.info("%s cannot be remembered: %s", cwd, error)
    return key


def _head_folders(reader: Reader, path: Path) -> list[str]:
    """Return the folders that the transcript's first messages name, in their order."""
    try:
        with reader.open(path) as file:
            messages: list[Message] = reader.read(file, 0, {}, limit=_HEAD_BYTES).messages
    except Exception as error:  # noqa: BLE001 - whatever that file holds, this session is captured
        _log.info("%s: where it began is unknown: %s", path, error)
        return []
    return list(dict.fromkeys(message.cwd for message in messages if message.cwd))


def _first(values: Iterable[str]) -> str:
    return next(filter(None, values), "")
