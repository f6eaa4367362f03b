"""The high-water marks: how far each transcript has been read, in one JSON file each."""

from __future__ import annotations

import json
import logging
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from capture.local.scanning import seen_file
from capture.local.scanning.file_fingerprint import Fingerprint
from capture.local.scanning.seen import Seen
from capture.local.scanning.seen_file import SeenFile
from memoryserver.common import clock, files
from memoryserver.common.text import clean_json

_log = logging.getLogger(__name__)
_MAY_BE_UNSAFE = re.compile(r"\\u(?:0000|d[89a-f])")  # in JSON: a NUL, half a surrogate pair, or a whole one
_OUTSIDE_TEXTS = ("transcript", "cwd", "project", "reader", "extractor")
STATE_FOLDER = "capture_state"  # in the home folder
DAEMON_FILE = "daemon.json"  # in the same folder but not a state: the daemon's heartbeat


@dataclass(slots=True)
class CaptureState:
    """How far one transcript has been captured.

    `last_message_index` counts messages from 1 and is that of the last one read; `last_message_count` is
    how many the transcript then had. `offset` is the byte after them. `reader` and `extractor` are their
    memories between two readings. `cwd` is the folder in which the session began and `project` the key of its project,
    both "" while unknown; `asked` is when the project was last looked for and not found, in seconds of the epoch, with
    a digest of what was known then. `seen` has the uuids of the messages that were read, and is saved in `seen_file`.
    Kept across a reset are `compaction_count`, `cwd`, `project` and `seen`.
    `renumbered`: the file was rewritten, so its new messages are numbered after those read before, and not by their
    place in it; no two captures have the same range.
    """

    context_id: str
    last_message_index: int = 0
    last_message_count: int = 0
    last_capture_timestamp: str = ""
    compaction_count: int = 0
    agent_kind: str = ""
    transcript: str = ""
    cwd: str = ""
    project: str = ""
    asked: tuple[float, str] | None = None
    offset: int = 0
    fingerprint: Fingerprint | None = None
    reader: dict[str, Any] = field(default_factory=dict)
    extractor: dict[str, Any] = field(default_factory=dict)
    seen: Seen = field(default_factory=Seen)
    seen_file: SeenFile = field(default_factory=SeenFile, compare=False)
    renumbered: bool = False

    def mark_seen(self, uuid: str) -> bool:
        """Record the message `uuid`; return whether it is new, as a message without a uuid always is."""
        return self.seen.add(uuid)

    def forget_oldest(self) -> None:
        """Drop the oldest uuids if there are too many. Must not be called during a reading."""
        if self.seen.forget_oldest():
            self.seen_file.start_over()

    def reset(self) -> None:
        """Start over with the transcript: its context was compacted."""
        self.reread()
        self.renumbered = False
        self.last_message_index = 0
        self.last_message_count = 0
        self.extractor = {}

    def reread(self) -> None:
        """Read the transcript from its start and continue as before: its file was rewritten."""
        self.renumbered = True
        self.offset = 0
        self.fingerprint = None
        self.reader = {}


class CaptureStateManager:
    """Loads and saves the states below `folder`, one `CONTEXT_ID.json` each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, context_id: str) -> CaptureState:
        """Return the state of the transcript `context_id`; a new one if there is none or it is corrupt.

        A corrupt file is renamed and kept. Raises OSError if a state cannot be read.
        """
        path = self._path(context_id)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return CaptureState(context_id)
        try:
            return _from_dict(context_id, json.loads(content), self._base(context_id))
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            aside = path.with_name(f"{path.name}.corrupt-{os.urandom(4).hex()}")
            _log.warning("%s is corrupt (%s); kept as %s, the transcript is read again", path, error, aside.name)
            os.replace(path, aside)
            os.utime(aside)  # from now on its time of modification is when it was set aside
            return CaptureState(context_id)

    def save(self, state: CaptureState, *, durable: bool = True) -> None:
        """Replace the state's file. Raises OSError; the old state is then unchanged.

        A power cut may lose a state not saved durably: the transcript is then read again.
        """
        files.make_folder(self.folder)
        base = self._base(state.context_id)
        state.seen_file.save(base, state.seen, durable=durable)
        fields = _to_dict(state)
        content = json.dumps(fields)
        if _MAY_BE_UNSAFE.search(content):  # looked for in all texts at once, in a tenth of the time of cleaning each
            content = json.dumps(fields | {name: clean_json(fields[name]) for name in _OUTSIDE_TEXTS})
        files.write_atomic(self._path(state.context_id), content, durable=durable)
        state.seen_file.delete_former(base)

    def stat_of(self, context_id: str) -> tuple[int, ...]:
        """Return values that differ between two saved versions of the state; empty if there is none."""
        try:
            status = os.stat(self._path(context_id))
        except FileNotFoundError:
            return ()
        return (status.st_ino, status.st_size, status.st_mtime_ns)

    def recorded_transcript(self, context_id: str) -> str:
        """Return the path at which the transcript was last read; "" for an unknown one."""
        return self.load(context_id).transcript

    def all(self) -> list[CaptureState]:
        """Return every state, in the order of their context ids."""
        return [self.load(context_id) for context_id in self.context_ids()]

    def context_ids(self) -> list[str]:
        """Return the context ids that have a state, sorted. The folder has other files too: list it by this alone."""
        return [path.stem for path in sorted(self.folder.glob("[!.]*.json")) if path.name != DAEMON_FILE]

    def modified_ns(self, context_id: str) -> int:
        """Return when the state was last saved, in nanoseconds. Raises FileNotFoundError if there is none."""
        return self._path(context_id).stat().st_mtime_ns

    def damaged(self) -> list[Path]:
        """Return the files of states that were corrupt, which `load` renamed, sorted."""
        return sorted(self.folder.glob("[!.]*.json.corrupt-*"))

    def has_transcript(self, context_id: str) -> bool:
        """Return whether the transcript still exists at the path where it was last read."""
        transcript = self.load(context_id).transcript
        return bool(transcript) and os.path.lexists(transcript)

    def forget(self, context_id: str) -> None:
        """Delete the state; if its transcript comes back, it is read from its start. Raises OSError."""
        self._path(context_id).unlink(missing_ok=True)
        seen_file.delete(self._base(context_id))

    @staticmethod
    def detect_compaction(state: CaptureState, message_count: int) -> bool:
        """Return whether the transcript, which now has `message_count` messages, has fewer than when it was read."""
        return message_count < state.last_message_count

    @staticmethod
    def record_compaction(state: CaptureState, times: int = 1) -> None:
        """Record that the agent compacted its context; the transcript still holds all of its messages."""
        state.compaction_count += times

    @classmethod
    def reset_after_compaction(cls, state: CaptureState) -> None:
        """Record that the transcript was compacted, and read it again from its start."""
        cls.record_compaction(state)
        state.reset()

    def _path(self, context_id: str) -> Path:
        if not context_id or os.path.basename(context_id) != context_id or context_id.startswith("."):
            raise ValueError(f"{context_id!r} cannot be the name of a state file")
        return self.folder / f"{context_id}.json"

    def _base(self, context_id: str) -> str:
        return str(self._path(context_id)).removesuffix(".json")


def _to_dict(state: CaptureState) -> dict[str, Any]:
    """Return the five fields of the plain format, then those that let a cycle read only new messages."""
    return {
        "context_id": state.context_id,
        "last_message_index": state.last_message_index,
        "last_message_count": state.last_message_count,
        "last_capture_timestamp": state.last_capture_timestamp,
        "compaction_count": state.compaction_count,
        "agent_kind": state.agent_kind,
        "transcript": state.transcript,
        "cwd": state.cwd,
        "project": state.project,
        "asked": state.asked,
        "offset": state.offset,
        "fingerprint": state.fingerprint.to_dict() if state.fingerprint else None,
        "reader": state.reader,
        "extractor": state.extractor,
        "seen": state.seen_file.to_dict(),
        "renumbered": state.renumbered,
    }


def _from_dict(context_id: str, content: dict[str, Any], base: str) -> CaptureState:
    """Return the state; the fields of the plain format suffice. Raises KeyError, TypeError or ValueError."""
    timestamp = str(content["last_capture_timestamp"] or "")
    if timestamp:
        clock.from_text(timestamp)
    numbers = {name: content[name] for name in ("last_message_index", "last_message_count", "compaction_count")}
    offset = content.get("offset", 0)
    if any(type(number) is not int or number < 0 for number in [*numbers.values(), offset]):
        raise ValueError("a count is not a whole number from 0 up")
    fingerprint = content.get("fingerprint")
    seen, file = _seen(content.get("seen", ""), base)
    return CaptureState(
        context_id,
        **numbers,
        last_capture_timestamp=timestamp,
        agent_kind=str(content.get("agent_kind", "")),
        transcript=str(content.get("transcript", "")),
        cwd=str(content.get("cwd", "")),
        project=str(content.get("project", "")),
        asked=_asked(content.get("asked")),
        offset=offset,
        fingerprint=Fingerprint.from_dict(fingerprint) if fingerprint is not None else None,
        reader=_object(content.get("reader", {})),
        extractor=_object(content.get("extractor", {})),
        seen=seen,
        seen_file=file,
        renumbered=content.get("renumbered") is True,
    )


def _seen(value: object, base: str) -> tuple[Seen, SeenFile]:
    if isinstance(value, str):  # of a version that saved them with the state
        return Seen(value), SeenFile()
    file = seen_file.from_dict(value)
    return file.load(base), file


def _asked(value: object) -> tuple[float, str] | None:
    if value is None:
        return None
    if not isinstance(value, list) or list(map(type, value)) != [float, str]:
        raise TypeError("`asked` is not a time and a digest")
    return value[0], value[1]


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("the memory of a reader or the extractor is not an object")
    return value
