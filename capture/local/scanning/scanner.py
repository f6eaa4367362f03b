"""One cycle of capture: every transcript's new messages, their learnings into the queue, then the marks.

The queue file is written first and the mark moved after it. A crash between the two repeats the range, and
the ledger recognizes what was queued by the capture id and by its content.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.extraction.learning import Learning
from capture.local.queue.files import QueueFile, QueueFullError, QueueWriter
from capture.local.queue.ledger import Ledger, keys_of
from capture.local.scanning import file_fingerprint, pruning
from capture.local.scanning.file_fingerprint import Change
from capture.local.scanning.provenance import metadata
from capture.local.scanning.state import CaptureState, CaptureStateManager
from capture.local.transcripts import discovery
from capture.local.transcripts.discovery import Transcript
from capture.local.transcripts.messages import Kind, Message
from capture.local.transcripts.reader import DamagedTranscriptError, Reading, TranscriptError
from memoryserver.common import clock, files

_log = logging.getLogger(__name__)
STATE_FOLDER = "capture_state"
QUEUE_FOLDER = "learning_queue"
LEDGER_FILE = "queued.keys"
LOCK_FILE = "capture.lock"
BATCH_BYTES = 4 * 1024 * 1024  # of a transcript, captured before the mark is moved
# By context id: the path, its stat, the stat of the state, and the problem if the file could not be read.
Unchanged = dict[str, tuple[str, tuple[int, ...], tuple[int, ...], str]]


@dataclass(slots=True)
class ScanReport:
    """The result of one cycle. `known` counts learnings queued before; each of `problems` is one line.

    `bad_lines` counts damaged lines, `unknown_lines` undamaged ones without a message.
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
    folders: list[str] = field(default_factory=list)  # where agents worked since the last cycle


class Scanner:
    """Captures into the folders below `home`, which no other scanner may use at the same time.

    When `stop` returns true it ends after the current batch, with its marks moved.
    """

    def __init__(
        self,
        home: Path,
        *,
        writer: QueueWriter | None = None,
        batch_bytes: int = BATCH_BYTES,
        now: Callable[[], datetime] = clock.now,
        stop: Callable[[], bool] = lambda: False,
        report: ScanReport | None = None,
        unchanged: Unchanged | None = None,
    ) -> None:
        self._states = CaptureStateManager(home / STATE_FOLDER)
        self._writer = writer or QueueWriter(home / QUEUE_FOLDER)
        self._ledger = Ledger(home / STATE_FOLDER / LEDGER_FILE)
        self._batch_bytes = batch_bytes
        self._now = now
        self._stop = stop
        self.report = report or ScanReport()
        self._unchanged = {} if unchanged is None else unchanged

    def scan(self, roots: Sequence[Path] | None) -> None:
        """Capture every transcript below `roots` (None: in the folders of the known agents).

        A transcript that cannot be read is added to the report's problems; the others are still captured.
        Raises QueueFullError; the marks then match the queue files written.
        """
        files.sweep_temporaries(self._states.folder)
        files.sweep_temporaries(self._writer.folder)
        transcripts = discovery.find(roots, recorded=self._states.recorded_transcript)
        if roots is None:
            missing = [root for root in discovery.further_roots() if not root.is_dir()]
            self.report.problems += [
                f"{root}: {discovery.ROOTS_VARIABLE} names a folder that does not exist" for root in missing
            ]
        for transcript in transcripts:
            if self._stop():
                return
            self.report.transcripts += 1
            try:
                self.capture(transcript)
            except QueueFullError:
                raise
            except FileNotFoundError:
                _log.info("%s was removed before it could be read", transcript.path)
            except TranscriptError as error:
                _log.warning("%s: %s", transcript.path, error)
                self.report.problems.append(f"{transcript.path}: {error}")
            except Exception as error:  # noqa: BLE001 - whatever one transcript holds, the others are captured
                _log.exception("%s could not be captured", transcript.path)
                self.report.problems.append(f"{transcript.path}: {error or type(error).__name__}")
        try:
            pruning.prune(self._states, {transcript.context_id for transcript in transcripts}, self._now())
        except OSError as error:  # the captured learnings are safe
            self.report.problems.append(f"{self._states.folder}: old states could not be deleted: {error}")

    def capture(self, transcript: Transcript) -> None:
        """Capture the new messages of one transcript; if there are none this costs one `stat` and reading the state.

        With an entry in `unchanged` it costs a second `stat` instead of reading the state.
        """
        on_disk = os.stat(transcript.path)
        stat, path = file_fingerprint.stat_of(on_disk), str(transcript.path)
        previous = self._unchanged.get(transcript.context_id)
        if previous and previous[:3] == (path, stat, self._states.stat_of(transcript.context_id)):
            if previous[3]:  # reported in every cycle, but not decompressed in each
                raise DamagedTranscriptError(previous[3])
            return
        try:
            self._capture_changed(transcript, on_disk, stat)
        except DamagedTranscriptError as error:
            self._remember(transcript, path, stat, str(error))
            raise

    def _remember(self, transcript: Transcript, path: str, stat: tuple[int, ...], problem: str = "") -> None:
        self._unchanged[transcript.context_id] = (path, stat, self._states.stat_of(transcript.context_id), problem)

    def _capture_changed(self, transcript: Transcript, on_disk: os.stat_result, stat: tuple[int, ...]) -> None:
        """Capture the transcript, whose file has the status `on_disk`, in short `stat`, unless its state is current."""
        path = str(transcript.path)
        state = self._states.load(transcript.context_id)
        if state.transcript == path and state.fingerprint is not None and state.fingerprint.stat == stat:
            self._remember(transcript, path, stat)
            return
        with transcript.reader.open(transcript.path) as file:
            opened = os.fstat(file.fileno())
            if os.path.samestat(opened, on_disk):  # a decompressed transcript is another file
                stat = file_fingerprint.stat_of(opened)
            count_before = state.last_message_count
            # A state without an offset, as in the plain format, still records which messages were captured.
            after = 0 if state.offset else state.last_message_index
            rewritten = self._is_rewritten(state, file, stat)
            if rewritten and transcript.reader.is_rewritten(transcript.path):
                state.reread()
            elif rewritten:
                self._states.reset_after_compaction(state)
                self._report_compactions(transcript, state, 1)
            state.transcript = path
            state.agent_kind = transcript.reader.agent_kind
            read = self._capture_batches(transcript, state, file, stat, after)
        if rewritten:
            how = "fewer messages" if state.last_message_count < count_before else "rewritten"
            _log.info("%s: %s, read again from the start", transcript.path, how)
        if not read and state.fingerprint is not None:
            state.fingerprint = replace(state.fingerprint, stat=stat)
            self._states.save(state)
        self.report.changed += read or rewritten

    @staticmethod
    def _is_rewritten(state: CaptureState, file: BinaryIO, stat: tuple[int, ...]) -> bool:
        if state.fingerprint is None:
            return False
        return file_fingerprint.compare(file, state.offset, state.fingerprint, stat) == Change.REWRITTEN

    def _capture_batches(
        self, transcript: Transcript, state: CaptureState, file: BinaryIO, stat: tuple[int, ...], after: int
    ) -> bool:
        """Capture batch by batch to the end of the last whole line; return whether there was any."""
        read = False
        while True:
            with _no_collection():
                reading = transcript.reader.read(file, state.offset, state.reader, limit=self._batch_bytes)
                if reading.end == state.offset:
                    self._count_lines(reading)  # of a file that is being rewritten
                    return read
                queued = self._capture_batch(transcript, state, reading, after)
            # If the process ends after this batch, the file must not count as read to its end.
            to_end = reading.end - state.offset < self._batch_bytes
            marked = stat if to_end else (*stat[:2], reading.end, 0, 0)
            state.fingerprint = file_fingerprint.compute(file, reading.end, state.fingerprint, state.offset, marked)
            state.offset = reading.end
            self._states.save(state, durable=queued)
            read = True
            if self._stop():
                return read

    def _capture_batch(self, transcript: Transcript, state: CaptureState, reading: Reading, after: int) -> bool:
        """Queue the learnings of `reading`, if any, and move the marks in `state`, which is not saved yet."""
        rewrites = transcript.reader.is_rewritten(transcript.path)
        count = reading.messages[-1].index if reading.messages else state.last_message_count
        unseen = [message for message in reading.messages if state.mark_seen(message.uuid) and message.index > after]
        if rewrites:  # new messages may lie between old ones, and no two captures may share a range
            for number, message in enumerate(unseen, state.last_message_index + 1):
                message.index = number
        compactions = sum(message.kind == Kind.COMPACTION for message in unseen)
        if compactions or (rewrites and self._states.detect_compaction(state, count)):
            self._states.record_compaction(state, compactions or 1)
            self._report_compactions(transcript, state, compactions or 1)
        extractor = IncrementalExtractor(state.extractor)
        learnings = extractor.extract(unseen)
        new = [learning for learning in learnings if not self._ledger.knows(keys_of(learning))]
        now = clock.to_text(self._now().replace(microsecond=0))
        if new:
            self._queue(transcript, state, unseen, new, extractor.redacted, now)
        self.report.messages += len(unseen)
        worked_in = {message.cwd for message in unseen if message.cwd}
        self.report.folders += sorted(worked_in.difference(self.report.folders))
        self.report.known += len(learnings) - len(new)
        self._count_lines(reading)
        state.reader, state.extractor = reading.memory, extractor.memory
        state.last_message_index = state.last_message_index + len(unseen) if rewrites else count
        state.last_message_count = count
        state.last_capture_timestamp = now
        state.forget_oldest()
        return bool(new)

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
        self._ledger.add(key for learning in learnings for key in keys_of(learning))
        self.report.learnings += len(learnings)
        self.report.queued.append(path.name)
        _log.info("%s: learnings queued in %s: %d", transcript.path, path.name, len(learnings))


def scan(
    home: Path,
    roots: Sequence[Path] | None = None,
    *,
    lock_timeout: float = 10.0,
    stop: Callable[[], bool] = lambda: False,
    report: ScanReport | None = None,
    unchanged: Unchanged | None = None,
) -> ScanReport:
    """Run one cycle under the lock of `home`, counted in `report`; passing the same `unchanged` makes the next faster.

    Raises LockTimeoutError, QueueFullError and OSError.
    """
    files.make_folder(home)
    with files.lock(home / LOCK_FILE, timeout=lock_timeout):
        scanner = Scanner(home, stop=stop, report=report, unchanged=unchanged)
        scanner.scan(roots)
        return scanner.report


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
