"""The high-water marks: how far each context has been read, in one JSON file each."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from capture.local.fingerprint import Fingerprint
from memoryserver.local import clock, files
from memoryserver.local.text import clean_json

_log = logging.getLogger(__name__)
MOST_SEEN = 20_000  # messages of a context whose uuids are remembered
_DIGEST_BYTES = 6
_DIGEST_TEXT = 8


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
    seen: dict[str, None] = field(default_factory=dict)

    def has_seen(self, uuid: str) -> bool:
        """Whether the message `uuid` has been looked at before; never for a message without one."""
        return bool(uuid) and _digest(uuid) in self.seen

    def remember(self, uuids: Iterable[str]) -> None:
        """The messages of these uuids have been looked at; when there are too many the oldest are forgotten."""
        self.seen.update(dict.fromkeys(_digest(uuid) for uuid in uuids if uuid))
        if len(self.seen) > 2 * MOST_SEEN:
            self.seen = dict.fromkeys(list(self.seen)[-MOST_SEEN:])

    def reset(self) -> None:
        """Start over with the transcript: its context was compacted, or the file was rewritten."""
        self.last_message_index = 0
        self.last_message_count = 0
        self.offset = 0
        self.fingerprint = None
        self.reader = {}
        self.extractor = {}


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

    def save(self, state: CaptureState) -> None:
        """Replace the state's file, durably. Raises OSError; the old state then still stands."""
        files.make_folder(self.folder)
        files.write_atomic(self._path(state.context_id), json.dumps(_to_dict(state)))

    def recorded_transcript(self, context_id: str) -> str:
        """The path of the transcript that the context was last read from; "" for an unknown one."""
        return self.load(context_id).transcript

    def all(self) -> list[CaptureState]:
        """Every state, in the order of their context ids."""
        return [self.load(path.stem) for path in sorted(self.folder.glob("[!.]*.json"))]

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
        "seen": "".join(list(state.seen)[-MOST_SEEN:]),
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
    seen = str(given.get("seen", ""))
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
        seen=dict.fromkeys(seen[at : at + _DIGEST_TEXT] for at in range(0, len(seen), _DIGEST_TEXT)),
    )


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("what a reader or the extractor keeps is no object")
    return value


def _digest(uuid: str) -> str:
    raw = hashlib.blake2b(uuid.encode("utf-8", "replace"), digest_size=_DIGEST_BYTES).digest()
    return base64.urlsafe_b64encode(raw).decode("ascii")
