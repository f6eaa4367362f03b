"""One cycle of capture: every transcript's new messages, their learnings into the queue, then the marks.

The queue file is written first and the mark moved after it. A crash between the two repeats the range, and
what was queued is known by the ledger, by the capture id and by its content.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from capture.local import fingerprint
from capture.local.extractor import IncrementalExtractor
from capture.local.fingerprint import Change
from capture.local.learning import Learning
from capture.local.ledger import Ledger, key
from capture.local.provenance import metadata
from capture.local.queue import QueueFile, QueueFullError, QueueWriter
from capture.local.state import CaptureState, CaptureStateManager
from capture.local.transcripts import discovery
from capture.local.transcripts.discovery import Transcript
from capture.local.transcripts.messages import Kind, Message
from capture.local.transcripts.reader import Reading
from memoryserver.local import clock, files

_log = logging.getLogger(__name__)
STATE_FOLDER = "capture_state"
QUEUE_FOLDER = "learning_queue"
LEDGER_FILE = "queued.keys"
LOCK_FILE = "capture.lock"
BATCH_BYTES = 4 * 1024 * 1024  # of a transcript, captured and marked in one go


@dataclass(slots=True)
class ScanReport:
    """What one cycle did. `known` learnings had been queued before; `problems` are one line each.

    Lines that are damaged are bad, whole ones that hold no message are unknown.
    """

    transcripts: int = 0
    changed: int = 0
    messages: int = 0
    learnings: int = 0
    known: int = 0
    compactions: int = 0
    bad_lines: int = 0
    unknown_lines: int = 0
    queued: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Scanner:
    """Captures into the folders below `home`, which no other scanner may use at the same time."""

    def __init__(
        self,
        home: Path,
        *,
        writer: QueueWriter | None = None,
        batch_bytes: int = BATCH_BYTES,
        now: Callable[[], datetime] = clock.now,
    ) -> None:
        self._states = CaptureStateManager(home / STATE_FOLDER)
        self._writer = writer or QueueWriter(home / QUEUE_FOLDER)
        self._ledger = Ledger(home / STATE_FOLDER / LEDGER_FILE)
        self._batch_bytes = batch_bytes
        self._now = now
        self.report = ScanReport()

    def scan(self, roots: Sequence[Path] | None) -> None:
        """Capture every transcript below `roots` (None: where the known agents keep theirs).

        A transcript that cannot be read is a problem of the report and holds up no other. Raises
        QueueFullError, with all marks where the queue files end.
        """
        files.sweep_temporaries(self._states.folder)
        files.sweep_temporaries(self._writer.folder)
        for transcript in discovery.find(roots, recorded=self._states.recorded_transcript):
            self.report.transcripts += 1
            try:
                self.capture(transcript)
            except QueueFullError:
                raise
            except FileNotFoundError:
                _log.info("%s went away before it could be read", transcript.path)
            except Exception as error:  # noqa: BLE001 - whatever one transcript holds, the others are captured
                _log.exception("%s could not be captured", transcript.path)
                self.report.problems.append(f"{transcript.path}: {error or type(error).__name__}")

    def capture(self, transcript: Transcript) -> None:
        """Capture what is new in one transcript; costs one `stat` and the state where nothing is."""
        state = self._states.load(transcript.context_id)
        stat = fingerprint.stat_of(os.stat(transcript.path))
        same_place = state.transcript == str(transcript.path)
        if same_place and state.fingerprint is not None and state.fingerprint.stat == stat:
            return
        with open(transcript.path, "rb") as file:
            stat = fingerprint.stat_of(os.fstat(file.fileno()))
            count_before = state.last_message_count
            rewritten = self._is_rewritten(state, file, stat)
            if rewritten:
                self._states.reset_after_compaction(state)
                self.report.compactions += 1
            state.transcript = str(transcript.path)
            state.agent_kind = transcript.reader.agent_kind
            read = self._capture_batches(transcript, state, file, stat)
        if rewritten:
            fewer = state.last_message_count < count_before
            _log.info("%s: %s, read anew", transcript.path, "fewer messages" if fewer else "rewritten")
        if not read and state.fingerprint is not None:
            state.fingerprint = replace(state.fingerprint, stat=stat)
            self._states.save(state)
        self.report.changed += read or rewritten

    @staticmethod
    def _is_rewritten(state: CaptureState, file: BinaryIO, stat: tuple[int, ...]) -> bool:
        if state.fingerprint is None:
            return False
        return fingerprint.compare(file, state.offset, state.fingerprint, stat) == Change.REWRITTEN

    def _capture_batches(
        self, transcript: Transcript, state: CaptureState, file: BinaryIO, stat: tuple[int, ...]
    ) -> bool:
        """Batch by batch to the end of the last whole line; whether there was any."""
        read = False
        # A state without an offset, as the plain format has it, still says which messages were captured.
        after = 0 if state.offset else state.last_message_index
        while True:
            reading = transcript.reader.read(file, state.offset, state.reader, limit=self._batch_bytes)
            if reading.end == state.offset:
                return read
            self._capture_batch(transcript, state, reading, after)
            state.fingerprint = fingerprint.take(file, reading.end, state.fingerprint, state.offset, stat)
            state.offset = reading.end
            self._states.save(state)
            read = True

    def _capture_batch(self, transcript: Transcript, state: CaptureState, reading: Reading, after: int) -> None:
        """Queue the learnings of `reading` and move the marks in `state`, which is not saved yet."""
        fresh = self._fresh(state, reading.messages, after)
        compactions = sum(message.kind == Kind.COMPACTION for message in fresh)
        if compactions:
            self._states.note_compaction(state, compactions)
            self.report.compactions += compactions
            _log.info("%s: the agent's context was compacted (%d in all)", transcript.path, state.compaction_count)
        extractor = IncrementalExtractor(state.extractor)
        found = extractor.extract(fresh)
        new = [learning for learning in found if not self._ledger.knows(_keys(learning))]
        now = clock.to_text(self._now().replace(microsecond=0))
        if new:
            self._queue(transcript, state, fresh, new, extractor.redacted, now)
        self.report.messages += len(fresh)
        self.report.known += len(found) - len(new)
        self.report.bad_lines += reading.counts.bad_lines + reading.counts.long_lines
        self.report.unknown_lines += sum(reading.counts.unknown.values())
        state.reader, state.extractor = reading.memory, extractor.memory
        if reading.messages:
            state.last_message_index = state.last_message_count = reading.messages[-1].index
        state.last_capture_timestamp = now
        state.remember(message.uuid for message in reading.messages)

    @staticmethod
    def _fresh(state: CaptureState, messages: Sequence[Message], after: int) -> list[Message]:
        """Those not looked at before: history comes back under its old uuids."""
        fresh: dict[str, Message] = {}
        for message in messages:
            if message.index > after and not state.has_seen(message.uuid):
                fresh.setdefault(message.uuid or f"#{message.index}", message)
        return list(fresh.values())

    def _queue(
        self,
        transcript: Transcript,
        state: CaptureState,
        messages: Sequence[Message],
        learnings: Sequence[Learning],
        redacted: dict[str, int],
        now: str,
    ) -> None:
        queue_file = QueueFile(
            context_id=transcript.context_id,
            captured_at=now,
            message_range=(messages[0].index, messages[-1].index),
            compaction_number=state.compaction_count,
            learnings=learnings,
            metadata=metadata(transcript, messages, redacted),
        )
        path = self._writer.write(queue_file)
        self._ledger.add(key for learning in learnings for key in _keys(learning))
        self.report.learnings += len(learnings)
        self.report.queued.append(path.name)
        _log.info("%s: learnings queued in %s: %d", transcript.path, path.name, len(learnings))


def scan(home: Path, roots: Sequence[Path] | None = None, *, lock_timeout: float = 10.0) -> ScanReport:
    """One cycle under the lock of `home`. Raises LockTimeoutError, QueueFullError and OSError."""
    files.make_folder(home)
    with files.lock(home / LOCK_FILE, timeout=lock_timeout):
        scanner = Scanner(home)
        scanner.scan(roots)
        return scanner.report


def _keys(learning: Learning) -> list[bytes]:
    """By its message's uuid and by its time: a copy has kept one of them."""
    origins = filter(None, (learning.source_message_uuid, learning.time))
    return [key(origin, learning.type, learning.content) for origin in origins]
