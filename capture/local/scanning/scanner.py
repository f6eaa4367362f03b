"""One cycle of capture: everything new in every transcript, and what was left out."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from capture.local.extraction.ahead import Ahead
from capture.local.queue.files import QUEUE_FOLDER, QueueFullError, QueueWriter
from capture.local.queue.ledger import Ledger
from capture.local.scanning import file_fingerprint, pruning
from capture.local.scanning.provenance import Projects
from capture.local.scanning.scan_report import ScanReport
from capture.local.scanning.skipped import Skipped
from capture.local.scanning.state import STATE_FOLDER, CaptureStateManager
from capture.local.scanning.transcript_capture import TranscriptCapture
from capture.local.transcripts import discovery
from capture.local.transcripts.discovery import Transcript
from capture.local.transcripts.reader import DamagedTranscriptError, TranscriptError
from memoryserver.common import clock, files

_log = logging.getLogger(__name__)
LEDGER_FILE = "queued.keys"
LOCK_FILE = "capture.lock"
_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
BATCH_BYTES = 4 * 1024 * 1024  # of a transcript, captured before the mark is moved
# By context id: the path, its stat, the stat of the state, and the problem if the file could not be read.
Unchanged = dict[str, tuple[str, tuple[int, ...], tuple[int, ...], str]]
Progress = Callable[[int, int], None]


class Scanner:
    """Captures into the folders below `home`, which no other scanner may use at the same time.

    When `stop` returns true it ends after the current batch, with its marks moved. `progress` is called before each
    transcript with how many are done, and how many there are. With `only_excluded` it takes those of sessions in
    excluded folders alone, of which it captures nothing. A large scan has a second process help, unless nobody waits
    for it: without `second_process` it takes longer, and less memory and processor time.
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
        progress: Progress | None = None,
        only_excluded: bool = False,
        second_process: bool = True,
    ) -> None:
        self._only_excluded = only_excluded
        self._progress = progress
        self._states = CaptureStateManager(home / STATE_FOLDER)
        self._writer = writer or QueueWriter(home / QUEUE_FOLDER)
        self._now = now
        self._stop = stop
        self.report = report or ScanReport()
        self._skipped = Skipped(self._states.folder)
        self._unchanged = {} if unchanged is None else unchanged
        self._ahead = Ahead(is_allowed=second_process)
        ledger, ahead = Ledger(home / STATE_FOLDER / LEDGER_FILE), self._ahead
        self._capture = TranscriptCapture(
            self._states, self._writer, ledger, self.report, self._skipped, batch_bytes, now, stop, Projects(), ahead
        )

    def scan(self, roots: Sequence[Path] | None) -> None:
        """Capture every transcript below `roots` (None: in the folders of the known agents).

        A transcript that cannot be read is added to the report's problems; the others are still captured.
        Raises QueueFullError; the marks then match the queue files written.
        """
        files.sweep_temporaries(self._states.folder)
        files.sweep_temporaries(self._writer.folder)
        transcripts = discovery.find(roots, recorded=self._states.recorded_transcript, skip=self._skipped.add)
        if roots is None:
            missing = [root for root in discovery.further_roots() if not root.is_dir()]
            self.report.problems += [
                f"{root}: {discovery.ROOTS_VARIABLE} names a folder that does not exist" for root in missing
            ]
        try:
            if self._capture_all(transcripts):
                self._finish(transcripts)
        finally:
            self._ahead.close()

    def _capture_all(self, transcripts: Sequence[Transcript]) -> bool:
        """Capture `transcripts`, as many as can be; return false if the scan was stopped before."""
        for number, transcript in enumerate(transcripts):
            if self._stop():
                return False
            if self._progress:
                self._progress(number, len(transcripts))
            if self._only_excluded and not self._capture.is_excluded(transcript):
                continue
            self.report.transcripts += 1
            if not self._captured(transcript):
                break
        return True

    def _captured(self, transcript: Transcript) -> bool:
        """Capture the transcript or add its problem to the report; return whether others can be captured too."""
        try:
            self.capture(transcript)
        except QueueFullError:
            raise
        except FileNotFoundError:
            _log.info("%s was removed before it could be read", transcript.path)
        except TranscriptError as error:
            _log.warning("%s: %s", transcript.path, error)
            self.report.problems.append(f"{transcript.path}: {error}")
        except OSError as error:
            _log.exception("%s could not be captured", transcript.path)
            self.report.problems.append(_os_problem(transcript, error))
            return error.errno not in _DISK_FULL
        except Exception as error:  # noqa: BLE001 - whatever one transcript holds, the others are captured
            _log.exception("%s could not be captured", transcript.path)
            self.report.problems.append(f"{transcript.path}: {error or type(error).__name__}")
        return True

    def _finish(self, transcripts: Sequence[Transcript]) -> None:
        """Report what was left out and delete old states; the captured learnings are safe whatever fails here."""
        self.report.skipped += self._skipped.new
        for line in self._skipped.new:
            _log.warning("skipped %s", line)
        try:
            pruning.prune(self._states, {transcript.context_id for transcript in transcripts}, self._now())
            self._skipped.save()
        except OSError as error:
            self.report.problems.append(f"{self._states.folder}: cannot be tidied up: {error}")

    def capture(self, transcript: Transcript) -> None:
        """Capture the new messages of one transcript; if there are none this costs one `stat` and reading the state.

        With an entry in `unchanged` it costs a second `stat` instead of reading the state.
        """
        on_disk = os.stat(transcript.path)
        stat, path = file_fingerprint.stat_of(on_disk), str(transcript.path)
        previous = self._unchanged.get(transcript.context_id)
        if previous and previous[:3] == (path, stat, self._states.stat_of(transcript.context_id)):
            self._skipped.keep(transcript.path)
            if previous[3]:  # reported in every cycle, but not decompressed in each
                raise DamagedTranscriptError(previous[3])
            return
        try:
            state = self._states.load(transcript.context_id)
            is_current = state.transcript == path and state.fingerprint is not None and state.fingerprint.stat == stat
            has_unread_end = is_current and state.offset < on_disk.st_size
            if not is_current or (has_unread_end and self._capture.is_at_rest(on_disk)):
                self._capture.capture(transcript, state, on_disk)
            else:
                self._skipped.keep(transcript.path)
            if is_current and (not has_unread_end or self._capture.is_at_rest(on_disk)):
                self._remember(transcript, path, stat)
        except DamagedTranscriptError as error:
            self._remember(transcript, path, stat, str(error))
            raise

    def _remember(self, transcript: Transcript, path: str, stat: tuple[int, ...], problem: str = "") -> None:
        self._unchanged[transcript.context_id] = (path, stat, self._states.stat_of(transcript.context_id), problem)


def _os_problem(transcript: Transcript, error: OSError) -> str:
    """Return what went wrong with a file: the transcript's own, or one that capture writes."""
    written = str(error.filename or transcript.path)
    if error.errno in _DISK_FULL:
        return f"{Path(written).parent}: {error.strerror}; free some space, nothing is lost and capture goes on then"
    return f"{written}: {error.strerror or error}"


def scan(
    home: Path,
    roots: Sequence[Path] | None = None,
    *,
    lock_timeout: float = 10.0,
    stop: Callable[[], bool] = lambda: False,
    report: ScanReport | None = None,
    unchanged: Unchanged | None = None,
    progress: Progress | None = None,
    second_process: bool = True,
) -> ScanReport:
    """Run one cycle under the lock of `home`, counted in `report`; passing the same `unchanged` makes the next faster.

    `progress` and `second_process` are as in Scanner. Raises LockTimeoutError, QueueFullError and OSError.
    """
    files.make_folder(home)
    with files.lock(home / LOCK_FILE, timeout=lock_timeout):
        scanner = Scanner(
            home, stop=stop, report=report, unchanged=unchanged, progress=progress, second_process=second_process
        )
        scanner.scan(roots)
        return scanner.report


def pass_over_excluded(home: Path, *, lock_timeout: float) -> None:
    """Move the marks of all transcripts of excluded folders to their ends: they stay out when the folders are included.

    Raises LockTimeoutError and OSError.
    """
    files.make_folder(home)
    with files.lock(home / LOCK_FILE, timeout=lock_timeout):
        Scanner(home, only_excluded=True).scan(None)
