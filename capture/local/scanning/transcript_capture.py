"""The capture of one transcript: its new messages, their learnings into the queue, then the mark.

The queue file is written first and the mark moved after it. A crash between the two repeats the range, and
the ledger recognizes what was queued by the capture id and by its content.
"""

from __future__ import annotations

import codecs
import gc
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, BinaryIO

from capture.local.extraction import quotation
from capture.local.extraction.ahead import Ahead
from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.extraction.learning import Learning
from capture.local.queue.files import QueueFile, QueueWriter
from capture.local.queue.ledger import Ledger, keys_of
from capture.local.scanning import file_fingerprint
from capture.local.scanning.file_fingerprint import Change
from capture.local.scanning.provenance import Projects, metadata
from capture.local.scanning.scan_report import ScanReport
from capture.local.scanning.skipped import Skipped
from capture.local.scanning.state import CaptureState, CaptureStateManager
from capture.local.transcripts.discovery import Transcript
from capture.local.transcripts.messages import Kind, Message
from capture.local.transcripts.reader import Reader, Reading
from memoryserver.client import context_cache
from memoryserver.common import clock
from memoryserver.common.counted import counted

_log = logging.getLogger(__name__)
REREAD_BYTES = 4 * 1024 * 1024
REST_SECONDS = 300  # a transcript that was not written to for so long is at rest
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class TranscriptCapture:
    """Captures one transcript after the other into the same queue; what it does is counted in `report`."""

    states: CaptureStateManager
    writer: QueueWriter
    ledger: Ledger
    report: ScanReport
    skipped: Skipped
    batch_bytes: int
    now: Callable[[], datetime]
    stop: Callable[[], bool]
    projects: Projects
    ahead: Ahead

    def capture(self, transcript: Transcript, state: CaptureState, on_disk: os.stat_result) -> None:
        """Capture what is new in the transcript, whose file has the status `on_disk`, and move the mark in `state`.

        Raises OSError, TranscriptError and QueueFullError; the mark then matches the queue files written.
        """
        stat, path, before = file_fingerprint.stat_of(on_disk), str(transcript.path), replace(self.report)
        with transcript.reader.open(transcript.path) as file:
            opened = os.fstat(file.fileno())
            is_same_file = os.path.samestat(opened, on_disk)  # a decompressed transcript is another file
            if is_same_file:
                stat = file_fingerprint.stat_of(opened)
            at_rest = not is_same_file or self.is_at_rest(opened)
            # A state without an offset, as in the plain format, still records which messages were captured.
            after = 0 if state.offset else state.last_message_index
            rewritten = self._prepare_rewritten(transcript, state, file, stat)
            state.transcript = path
            state.agent_kind = transcript.reader.agent_kind
            if not state.offset and file.read(2) in _UTF_16:
                self.skipped.add(transcript.path, "is UTF-16 text; convert it to UTF-8 to have it read")
            self.ahead.expect(opened.st_size - state.offset)
            read = self._capture_batches(transcript, state, file, stat, after, at_rest=at_rest)
        if not read and state.fingerprint is not None:
            state.fingerprint = replace(state.fingerprint, stat=stat)
            self.states.save(state)
        self.report.changed += read or rewritten
        self._name_bad_lines(transcript, before)

    def is_excluded(self, transcript: Transcript) -> bool:
        """Return whether the transcript is of a session in an excluded folder."""
        state = self.states.load(transcript.context_id)
        self.projects.locate(transcript, state, [])
        return self.projects.is_excluded(transcript, state)

    def is_at_rest(self, status: os.stat_result) -> bool:
        """Return whether a file with this status was not written to for a while."""
        return self.now().timestamp() - status.st_mtime >= REST_SECONDS

    def _name_bad_lines(self, transcript: Transcript, before: ScanReport) -> None:
        bad_lines = self.report.bad_lines - before.bad_lines
        if bad_lines and self.report.messages == before.messages:
            self.skipped.add(transcript.path, f"has no readable message in its new lines ({bad_lines} damaged)")
        elif bad_lines:
            self.report.skipped.append(f"{transcript.path}: {counted(bad_lines, 'damaged line')}")

    def _prepare_rewritten(
        self, transcript: Transcript, state: CaptureState, file: BinaryIO, stat: tuple[int, ...]
    ) -> bool:
        """Have the transcript read again from its start if it was rewritten; return whether it was.

        That is a compaction only where the transcript has no other sign of one and has become shorter (FR-4.1).
        """
        if state.fingerprint is None:
            return False
        if file_fingerprint.compare(file, state.offset, state.fingerprint, stat) != Change.REWRITTEN:
            return False
        reader = transcript.reader
        if reader.shrinks_at_compaction and self.states.detect_compaction(state, _message_count(reader, file)):
            self.states.reset_after_compaction(state)
            self._report_compactions(transcript, state, 1)
        else:
            state.reread()
            _log.info("%s: rewritten, read again from the start", transcript.path)
        return True

    def _capture_batches(
        self,
        transcript: Transcript,
        state: CaptureState,
        file: BinaryIO,
        stat: tuple[int, ...],
        after: int,
        *,
        at_rest: bool,
    ) -> bool:
        """Capture batch by batch to the end of the last whole line; return whether there was any."""
        read, reader = False, transcript.reader
        while True:
            with _no_collection():
                reading = reader.read(
                    file,
                    state.offset,
                    state.reader,
                    limit=self.batch_bytes,
                    at_rest=at_rest,
                    noted=self.ahead.ask,
                )
                if reading.end == state.offset:
                    self._count_lines(reading)  # of a file that is being rewritten
                    return read
                queued = self._capture_batch(transcript, state, reading, after)
                self.ahead.forget()
            self._move_mark(state, file, stat, reading.end, queued=queued)
            read = True
            if self.stop():
                return read

    def _move_mark(self, state: CaptureState, file: BinaryIO, stat: tuple[int, ...], end: int, *, queued: bool) -> None:
        """Save that the transcript is read to `end`; what is `queued` of it is so durably."""
        # If the process ends after this batch, the file must not count as read to its end.
        to_end = end - state.offset < self.batch_bytes
        marked = stat if to_end else (*stat[:2], end, 0, 0)
        state.fingerprint = file_fingerprint.compute(file, end, state.fingerprint, state.offset, marked)
        state.offset = end
        # Should a power cut lose any mark but the last, the ledger still knows what was queued.
        self.states.save(state, durable=queued and to_end)

    def _capture_batch(self, transcript: Transcript, state: CaptureState, reading: Reading, after: int) -> bool:
        """Queue the learnings of `reading`, if any, and move the marks in `state`, which is not saved yet."""
        rewrites = transcript.reader.is_rewritten(transcript.path)
        renumbers = rewrites or state.renumbered
        count = reading.messages[-1].index if reading.messages else state.last_message_count
        unseen = [message for message in reading.messages if state.mark_seen(message.uuid) and message.index > after]
        if renumbers:  # new messages may lie between old ones, and no two captures may share a range
            for number, message in enumerate(unseen, state.last_message_index + 1):
                message.index = number
        compactions = sum(message.kind == Kind.COMPACTION for message in unseen)
        if compactions:
            self.states.record_compaction(state, compactions)
            self._report_compactions(transcript, state, compactions)
        project = self.projects.locate(transcript, state, unseen)  # while its folder is there
        kept = self.projects.included(transcript, state, unseen)
        queued = self._capture_messages(transcript, state, kept, project) if kept or not unseen else False
        self._count_lines(reading)
        # Nor are calls in an excluded folder kept until their results are read.
        state.reader = reading.memory if len(kept) == len(unseen) else reading.memory | {"open_calls": []}
        state.last_message_index = state.last_message_index + len(unseen) if renumbers else count
        state.last_message_count = count
        state.forget_oldest()
        return queued

    def _capture_messages(
        self, transcript: Transcript, state: CaptureState, messages: Sequence[Message], project: str
    ) -> bool:
        """Queue the learnings of `messages`, and what they take back of earlier ones; return whether there was any."""
        extractor = IncrementalExtractor(state.extractor, context=lambda: _context_of(project), ahead=self.ahead.found)
        learnings = extractor.extract(messages)
        new = _quoted([learning for learning in learnings if not self.ledger.knows(keys_of(learning))], messages)
        now = clock.to_text(self.now().replace(microsecond=0))
        if new or extractor.withdrawn:
            self._queue(transcript, state, messages, new, extractor, project, now)
        self.report.messages += len(messages)
        worked_in = {message.cwd for message in messages if message.cwd}
        self.report.folders += sorted(worked_in.difference(self.report.folders))
        self.report.known += len(learnings) - len(new)
        state.extractor = extractor.memory
        state.last_capture_timestamp = now
        return bool(new or extractor.withdrawn)

    def _count_lines(self, reading: Reading) -> None:
        self.report.bad_lines += reading.counts.bad_lines + reading.counts.long_lines
        self.report.unknown_lines += sum(reading.counts.unknown.values())

    def _report_compactions(self, transcript: Transcript, state: CaptureState, times: int) -> None:
        self.report.compactions += times
        _log.info("%s: the agent's context was compacted (%d in all)", transcript.path, state.compaction_count)

    def _queue(
        self,
        transcript: Transcript,
        state: CaptureState,
        messages: Sequence[Message],
        learnings: Sequence[Learning],
        extractor: IncrementalExtractor,
        project: str,
        now: str,
    ) -> None:
        queue_file = QueueFile(
            context_id=transcript.context_id,
            captured_at=now,
            message_range=(messages[0].index, messages[-1].index),
            compaction_number=state.compaction_count,
            learnings=learnings,
            metadata=metadata(transcript, messages, extractor.redacted, project),
            withdrawn=extractor.withdrawn,
        )
        path = self.writer.write(queue_file)
        self.ledger.add(key for learning in learnings for key in keys_of(learning))
        self.report.learnings += len(learnings)
        self.report.queued.append(path.name)
        _log.info("%s: learnings queued in %s: %d", transcript.path, path.name, len(learnings))


def _context_of(project: str) -> str:
    """Return the context of the project with that key, as this laptop has it; "" if it has none."""
    cached = context_cache.load(project) if project else None
    return cached.text if cached else ""


def _quoted(learnings: Sequence[Learning], messages: Sequence[Message]) -> list[Learning]:
    """Return `learnings` with quotations of their messages."""
    texts = {message.index: message.text for message in messages} if learnings else {}
    return [learning if learning.quote else _with_quote(learning, texts) for learning in learnings]


def _with_quote(learning: Learning, texts: Mapping[int, str]) -> Learning:
    text = texts.get(learning.source_message_index, "")
    return replace(learning, quote=quotation.quote(text, learning.content))


def _message_count(reader: Reader, file: BinaryIO) -> int:
    """Return how many messages the whole file has."""
    count, offset, memory = 0, 0, dict[str, Any]()
    while True:
        reading = reader.read(file, offset, memory, limit=REREAD_BYTES)
        if reading.end == offset:
            return count
        count = reading.messages[-1].index if reading.messages else count
        offset, memory = reading.end, reading.memory


@contextmanager
def _no_collection() -> Iterator[None]:
    """Disable the garbage collector: a batch creates no reference cycles, and scanning its records is expensive."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
