"""Checks of the laptop: its home folder, settings, journal, capture, and pending deliveries."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from capture.local.queue import files
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.queue.processor import RETRIES_FILE
from capture.local.queue.retries import Retries
from capture.local.scanning import skipped
from capture.local.scanning.state import STATE_FOLDER, CaptureStateManager
from capture.local.service import heartbeat
from capture.local.service.logfile import LOG_FILE
from ghap.local import copies, layout, server_answers
from ghap.local.lines import read_lines
from ghap.local.store import Store
from memorycli import renamed
from memorycli.delivery import quota
from memorycli.doctor.finding import Finding, View
from memoryserver.client import config, sync_state
from memoryserver.client.outbox import Outbox, kinds
from memoryserver.common import clock, text
from memoryserver.common.counted import counted, counted_kind
from trajectory.local import store

LOW_BYTES = 500_000_000
STUCK_AFTER = 5  # failed attempts
QUIET_SECONDS = 900.0  # a cycle of capture takes two to three minutes
RECENT_SECONDS = 7 * 86_400.0
_MOST_SESSIONS = 30
_MOST_SKIPPED = 5


def home_usable(view: View) -> Iterator[Finding]:
    """Check that the home folder can be read and written."""
    folder = view.home
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        yield Finding(f"{folder} must be a folder and is a file", f"mv {folder} {folder}.old")
    elif not _is_usable(folder):
        yield Finding(f"you cannot read and write {folder}", f"chown -R $USER {folder}; chmod u+rwX {folder}")


def disk_has_room(view: View) -> Iterator[Finding]:
    """Check that the disk has room for pending deliveries."""
    folder = next(path for path in (view.home, *view.home.parents) if path.is_dir())
    free = shutil.disk_usage(folder).free
    if free < LOW_BYTES:
        what = f"the disk of {view.home} has {free // 1_000_000} MB left; new records may be lost"
        yield Finding(what, "free some space, or lower the outbox's limit: memory config set outbox_mb 50")


def settings_valid(view: View) -> Iterator[Finding]:
    """Check that the laptop's settings are valid."""
    for problem in config.problems(view.root):
        yield Finding(problem, "memory config list; then memory config set KEY VALUE, or unset KEY")


def journal_readable(view: View) -> Iterator[Finding]:
    """Check that the project's journal can be read and has no damaged entries."""
    folder = view.project.journal
    if not folder.is_dir():
        return
    if not _is_usable(folder):
        yield Finding(f"you cannot read and write the journal {folder}", f"chown -R $USER {folder}")
        return
    if Store(folder).peek() is None:
        what = f"{folder / layout.CURRENT} is damaged, or has an entry that is already resolved"
        yield Finding(what, "memory ghap show (it moves the damaged file aside and loses nothing)")
    faults = [line.fault for line in read_lines(folder / layout.SESSION_ENTRIES) if line.entry is None]
    if faults:
        path = folder / layout.SESSION_ENTRIES
        yield Finding(f"{path} has invalid lines ({len(faults)}), the first: {faults[0]}", f"edit {path}")


def project_not_renamed(view: View) -> Iterator[Finding]:
    """Check that the server has the project's memory under the key that it has now."""
    if earlier := renamed.earlier_keys(view.project):
        what = f"the memory of {view.project.key()} is under its former name, {' and '.join(earlier)}"
        yield Finding(what, f"{renamed.COMMAND}, or {renamed.COMMAND} --dismiss if that was another project")


def capture_running(view: View) -> Iterator[Finding]:
    """Check that the capture daemon is running and its cycles succeed."""
    if not view.agents:
        return
    beat = heartbeat.running(view.home)
    if beat is None:
        yield Finding("the daemon is not running, so nothing is learned from transcripts", "memory capture install")
        return
    since = _age(beat.last_cycle or beat.started)
    if since is not None and since > QUIET_SECONDS:
        what = f"the capture daemon (process {beat.pid}) has been idle for {since / 60:.0f} minutes"
        yield Finding(what, f"kill {beat.pid}; memory capture install")
    elif beat.last_error:
        yield Finding(f"the last capture cycle failed: {_line(beat.last_error)}", f"read {view.home / LOG_FILE}")


def transcripts_read(view: View) -> Iterator[Finding]:
    """Check that the last scan left out no file or folder of transcripts."""
    left_out = sorted(skipped.load(view.home / STATE_FOLDER).items())
    for path, reason in left_out[:_MOST_SKIPPED]:
        yield Finding(f"{_line(path)} {_line(reason)}", "fix it if it has transcripts; memory capture scan looks again")
    if left_out[_MOST_SKIPPED:]:
        more = len(left_out) - _MOST_SKIPPED
        yield Finding(f"capture left out {counted(more, 'more path')}", "memory capture scan --json names new ones")


def states_undamaged(view: View) -> Iterator[Finding]:
    """Check that no state of capture was found corrupt in the last thirty days."""
    damaged = CaptureStateManager(view.home / STATE_FOLDER).damaged()
    if damaged:
        what = f"{counted(len(damaged), 'corrupt state')} of capture set aside, the last as {damaged[-1].name}"
        fix = f"check the disk, then rm {damaged[-1].parent}/*.corrupt-* (their transcripts were read again)"
        yield Finding(what, fix)


def queue_delivered(view: View) -> Iterator[Finding]:
    """Check that the learning queue is delivered and has room."""
    folder = view.home / QUEUE_FOLDER
    failed = files.failed(folder)
    if failed:
        path, reason = failed[0]
        what = f"{counted(len(failed), 'queue file')} failed for good, the first is {path.name}: {_line(reason)}"
        yield Finding(what, "once the cause is fixed: memory capture retry && memory capture push")
    stuck = (
        {name: retry for name, retry in Retries(folder / RETRIES_FILE).all().items() if retry.attempts >= STUCK_AFTER}
        if (folder / RETRIES_FILE).exists()
        else {}
    )
    if stuck:
        name, retry = next(iter(sorted(stuck.items())))
        attempts = f"{name} after {retry.attempts} attempts: {_line(retry.error)}"
        what = f"{counted(len(stuck), 'queue file')} stuck, {attempts}"
        yield Finding(what, "memory capture push --now")
    held = sum(files.size(path) for path in files.waiting(folder))
    if held > 0.9 * files.LIMIT_BYTES:
        yield Finding(f"the learning queue is nearly full ({held // 1_000_000} MB): capture is paused", "memory sync")


def outbox_delivered(view: View) -> Iterator[Finding]:
    """Check that the outbox is delivered and has room."""
    if refused := server_answers.refused(view.project.journal):
        entries = counted(len(refused), "journal entry", "journal entries")
        what = f"the server refused {entries}, the last: {_line(list(refused.values())[-1])}"
        yield Finding(what, "memory sync --retry-failed")
    for kind in kinds(view.home):
        outbox = Outbox(view.home, kind)
        if kind == copies.KIND and refused:
            continue  # the same entries
        if failed := outbox.failed():
            reason = _line(outbox.why_failed(failed[-1].stem) or "no reason recorded")
            what = f"the server refused {counted_kind(len(failed), kind)}, the last: {reason}"
            yield Finding(what, "memory sync --retry-failed once the cause is fixed; --drop-failed gives them up")
    state = sync_state.load()
    if state.failures >= STUCK_AFTER:
        yield Finding(f"{state.failures} deliveries in a row failed, the last: {_line(state.error)}", "memory sync")
    used, limit = sum(quota.used().values()), quota.limit()
    if used > 0.9 * limit:
        sizes = f"{used // quota.MEGABYTE} of {limit // quota.MEGABYTE} MB"
        what = f"the outbox is nearly full ({sizes}): the oldest tool calls will be discarded"
        yield Finding(what, "memory sync, or raise the limit: memory config set outbox_mb 500")


def observers_running(view: View) -> Iterator[Finding]:
    """Check that no observer was disabled after repeated failures."""
    for name, reason in failing_observers():
        what = f"the observer {name} is disabled after repeated failures: {_line(reason)}"
        yield Finding(what, "memory trajectory clear (it restarts the observers; memory trajectory show has details)")


def failing_observers() -> list[tuple[str, str]]:
    """Return the observers that were disabled in a session of the last week, each with its last failure."""
    failures = {}
    for trajectory in store.all_trajectories()[:_MOST_SESSIONS]:
        if time.time() - trajectory.used_at() > RECENT_SECONDS:
            break
        observers = trajectory.state().get("observers")
        for name, state in observers.items() if isinstance(observers, dict) else ():
            if isinstance(state, dict) and int(state.get("failures_in_a_row") or 0) >= 3:
                failures[str(name)] = str(state.get("last_failure") or "")
    return sorted(failures.items())


def _is_usable(folder: Path) -> bool:
    """Return whether files in `folder` can be listed and created.

    By trying: the mode does not tell on read-only and on network file systems.
    """
    try:
        os.listdir(folder)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _age(moment: str) -> float | None:
    try:
        return (clock.now() - clock.from_text(moment)).total_seconds()
    except ValueError:
        return None


def _line(message: str) -> str:
    return text.shorten(text.one_line(text.printable(message)), 200)
