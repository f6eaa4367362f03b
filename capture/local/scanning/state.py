"""The high-water marks: how far each context has been read, in one JSON file each."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from capture.local.scanning.file_fingerprint import Fingerprint
from capture.local.scanning.seen import Seen
from memoryserver.common import clock, files
from memoryserver.common.text import clean_json

_log = logging.getLogger(__name__)
DAEMON_FILE = "daemon.json"  # lies among the states and is none: the daemon's heartbeat


@dataclass(slots=True)
class CaptureState:
    """How far one context has been captured.

    `last_message_index` counts messages from 1 and is that of the last one looked at; `last_message_count` is
    how many the transcript then had. `offset` is the byte after them. `reader` and `extractor` are what these
    carry from one reading to the next. Two things are remembered across a reset: `compaction_count` and the
    uuids in `seen`.
    """

    context_id: str
    last_message_index: int = 0
    last_message_count: int = 0
    last_capture_timestamp: str = ""
    compaction_count: int = 0
    agent_kind: str = ""
    transcript: str = ""
    offset: int = 0
    fingerprint: Fingerprint | None = None
    reader: dict[str, Any] = field(default_factory=dict)
    extractor: dict[str, Any] = field(default_factory=dict)
    seen: Seen = field(default_factory=Seen)

    def has_seen(self, uuid: str) -> bool:
        """Whether the message `uuid` has been looked at before; never for a message without one."""
        return uuid in self.seen

    def look_at(self, uuid: str) -> bool:
        """Remember the message `uuid`; whether it is the first time, as it always is for one without a uuid."""
        return self.seen.add(uuid)

    def remember(self, uuids: Iterable[str]) -> None:
        """The messages of these uuids have been looked at; when there are too many the oldest are forgotten."""
        for uuid in uuids:
            self.look_at(uuid)
        self.forget_oldest()

    def forget_oldest(self) -> None:
        """Where too many uuids are remembered, forget the oldest: never in the midst of a reading."""
        self.seen.forget_oldest()

    def reset(self) -> None:
        """Start over with the transcript: its context was compacted, or the file was rewritten."""
        self.reread()
        self.last_message_index = 0
        self.last_message_count = 0
        self.extractor = {}

    def reread(self) -> None:
        """Read the transcript from its start and go on as before: its agent writes it anew at each turn."""
        self.offset = 0
        self.fingerprint = None
        self.reader = {}


class CaptureStateManager:
    """Loads and saves the states below `folder`, one `CONTEXT_ID.json` each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, context_id: str) -> CaptureState:
        """The state of the context; that of a context never captured where there is none or it is corrupt.

        A corrupt file is put aside under a name of its own. Raises OSError where a state cannot be read.
        """
        path = self._path(context_id)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return CaptureState(context_id)
        try:
            return _from_dict(context_id, json.loads(content))
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            aside = path.with_name(f"{path.name}.corrupt-{os.urandom(4).hex()}")
            _log.warning("%s is corrupt (%s); kept as %s, the transcript is read anew", path, error, aside.name)
            os.replace(path, aside)
            return CaptureState(context_id)

    def save(self, state: CaptureState, *, durable: bool = True) -> None:
        """Replace the state's file. Raises OSError; the old state then still stands.

        What is not saved durably a power cut may take: the transcript is then read again.
        """
        files.make_folder(self.folder)
        files.write_atomic(self._path(state.context_id), json.dumps(_to_dict(state)), durable=durable)

    def stat_of(self, context_id: str) -> tuple[int, ...]:
        """What tells the state as it is saved now from any other; empty where there is none."""
        try:
            found = os.stat(self._path(context_id))
        except FileNotFoundError:
            return ()
        return (found.st_ino, found.st_size, found.st_mtime_ns)

    def recorded_transcript(self, context_id: str) -> str:
        """The path of the transcript that the context was last read from; "" for an unknown one."""
        return self.load(context_id).transcript

    def all(self) -> list[CaptureState]:
        """Every state, in the order of their context ids."""
        return [self.load(context_id) for context_id in self.context_ids()]

    def context_ids(self) -> list[str]:
        """Those of which there is a state, in their order."""
        return [path.stem for path in sorted(self.folder.glob("[!.]*.json")) if path.name != DAEMON_FILE]

    def has_transcript(self, context_id: str) -> bool:
        """Whether the transcript that the context was last read from is still there, as far as one can tell."""
        transcript = self.load(context_id).transcript
        return bool(transcript) and os.path.lexists(transcript)

    def forget(self, context_id: str) -> None:
        """Take the state away; should its transcript come back, it is read from its start. Raises OSError."""
        self._path(context_id).unlink(missing_ok=True)

    @staticmethod
    def detect_compaction(state: CaptureState, message_count: int) -> bool:
        """Whether the transcript, which now has `message_count` messages, has fewer than when it was read."""
        return message_count < state.last_message_count

    @staticmethod
    def note_compaction(state: CaptureState, times: int = 1) -> None:
        """The context has been compacted, but the transcript holds all that it held."""
        state.compaction_count += times

    @classmethod
    def reset_after_compaction(cls, state: CaptureState) -> None:
        """The context has been compacted, or its transcript rewritten: read it again from its start."""
        cls.note_compaction(state)
        state.reset()

    def _path(self, context_id: str) -> Path:
        if not context_id or os.path.basename(context_id) != context_id or context_id.startswith("."):
            raise ValueError(f"{context_id!r} cannot be the name of a state file")
        return self.folder / f"{context_id}.json"


def _to_dict(state: CaptureState) -> dict[str, Any]:
    """The five fields of the format first, then what makes a cycle cost no more than what is new."""
    return {
        "context_id": state.context_id,
        "last_message_index": state.last_message_index,
        "last_message_count": state.last_message_count,
        "last_capture_timestamp": state.last_capture_timestamp,
        "compaction_count": state.compaction_count,
        "agent_kind": state.agent_kind,
        "transcript": clean_json(state.transcript),
        "offset": state.offset,
        "fingerprint": state.fingerprint.to_dict() if state.fingerprint else None,
        "reader": clean_json(state.reader),
        "extractor": clean_json(state.extractor),
        "seen": state.seen.to_text(),
    }


def _from_dict(context_id: str, given: dict[str, Any]) -> CaptureState:
    """Raises KeyError, TypeError or ValueError for what is no state; the fields of the plain format suffice."""
    timestamp = str(given["last_capture_timestamp"] or "")
    if timestamp:
        clock.from_text(timestamp)
    numbers = {name: given[name] for name in ("last_message_index", "last_message_count", "compaction_count")}
    offset = given.get("offset", 0)
    if any(type(number) is not int or number < 0 for number in [*numbers.values(), offset]):
        raise ValueError("a count is no whole number from 0 up")
    fingerprint = given.get("fingerprint")
    return CaptureState(
        context_id,
        **numbers,
        last_capture_timestamp=timestamp,
        agent_kind=str(given.get("agent_kind", "")),
        transcript=str(given.get("transcript", "")),
        offset=offset,
        fingerprint=Fingerprint.from_dict(fingerprint) if fingerprint is not None else None,
        reader=_object(given.get("reader", {})),
        extractor=_object(given.get("extractor", {})),
        seen=Seen(str(given.get("seen", ""))),
    )


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("what a reader or the extractor keeps is no object")
    return value
