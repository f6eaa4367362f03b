"""Is the laptop's own part well: its folder, settings, journal, capture, and what waits?"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from capture.local.queue import files
from capture.local.queue.processor import RETRIES_FILE
from capture.local.queue.retries import Retries
from capture.local.scanning.scanner import QUEUE_FOLDER
from capture.local.service import heartbeat
from capture.local.service.logfile import LOG_FILE
from ghap.local import layout
from ghap.local.lines import read_lines
from ghap.local.store import Store
from memorycli.delivery import quota
from memorycli.doctor.finding import Finding, View
from memoryserver.client import config, places, sync_state
from memoryserver.client.outbox import Outbox, kinds
from memoryserver.common import clock, text
from trajectory.local import store

LOW_BYTES = 500_000_000
STUCK_AFTER = 5  # failed tries
QUIET_SECONDS = 900.0  # a cycle of capture takes two to three minutes
RECENT_SECONDS = 7 * 86_400.0
_MOST_SESSIONS = 30


def home_usable(view: View) -> Iterator[Finding]:
    """The folder of everything can be read and written."""
    folder = view.home
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        yield Finding(f"{folder} is in the way of {view.home}: it is no folder", f"mv {folder} {folder}.old")
    elif not _is_usable(folder):
        yield Finding(f"{folder} cannot be read and written by you", f"chown -R $USER {folder}; chmod u+rwX {folder}")


def disk_has_room(view: View) -> Iterator[Finding]:
    """There is room for what waits."""
    folder = next(one for one in (view.home, *view.home.parents) if one.is_dir())
    free = shutil.disk_usage(folder).free
    if free < LOW_BYTES:
        what = f"the disk of {view.home} has {free // 1_000_000} MB left; what is recorded may be lost"
        yield Finding(what, "make room, or give what waits a lower bound: memory config set outbox_mb 50")


def settings_valid(view: View) -> Iterator[Finding]:
    """The laptop's settings say something that can be."""
    for problem in config.problems(view.root):
        yield Finding(problem, "memory config list; then memory config set KEY VALUE, or unset KEY")


def journal_sound(view: View) -> Iterator[Finding]:
    """The project's journal can be read."""
    folder = places.journal_dir(view.root)
    if not folder.is_dir():
        return
    if not _is_usable(folder):
        yield Finding(f"the journal {folder} cannot be read and written by you", f"chown -R $USER {folder}")
        return
    if Store(folder).peek() is None:
        what = f"{folder / layout.CURRENT} is damaged, or holds an entry that is filed already"
        yield Finding(what, "memory ghap show (it sets what is damaged aside, and loses nothing)")
    faulty = [line.fault for line in read_lines(folder / layout.SESSION_ENTRIES) if line.entry is None]
    if faulty:
        path = folder / layout.SESSION_ENTRIES
        yield Finding(f"{path} has {len(faulty)} lines that are no entries: {faulty[0]}", f"edit {path}")


def capture_runs(view: View) -> Iterator[Finding]:
    """Learnings are captured without anybody thinking of it."""
    if not view.agents:
        return
    beat = heartbeat.running(view.home)
    if beat is None:
        yield Finding("capture does not run, so nothing is learned from transcripts", "memory capture install")
        return
    since = _age(beat.last_cycle or beat.started)
    if since is not None and since > QUIET_SECONDS:
        what = f"capture runs as process {beat.pid}, and has done nothing for {since / 60:.0f} minutes"
        yield Finding(what, f"kill {beat.pid}; memory capture install")
    elif beat.last_error:
        yield Finding(f"capture's last cycle failed: {_line(beat.last_error)}", f"read {view.home / LOG_FILE}")


def queue_moves(view: View) -> Iterator[Finding]:
    """Learnings leave the queue, and there is room for more."""
    folder = view.home / QUEUE_FOLDER
    failed = files.failed(folder)
    if failed:
        path, reason = failed[0]
        what = f"{len(failed)} queue files can never be stored, {path.name} because: {_line(reason)}"
        yield Finding(what, "once the reason is gone: memory capture retry && memory capture process")
    stuck = (
        {name: one for name, one in Retries(folder / RETRIES_FILE).all().items() if one.attempts >= STUCK_AFTER}
        if (folder / RETRIES_FILE).exists()
        else {}
    )
    if stuck:
        name, retry = next(iter(sorted(stuck.items())))
        what = f"{len(stuck)} queue files are stuck, {name} after {retry.attempts} tries: {_line(retry.error)}"
        yield Finding(what, "memory capture process --now")
    held = sum(files.size(path) for path in files.waiting(folder))
    if held > 0.9 * files.LIMIT_BYTES:
        yield Finding(f"the queue of learnings is nearly full ({held // 1_000_000} MB): capture pauses", "memory sync")


def outbox_moves(view: View) -> Iterator[Finding]:
    """What waits for the server leaves the laptop."""
    for kind in kinds(view.home):
        outbox = Outbox(view.home, kind)
        if refused := outbox.refused():
            reason = _line(outbox.why_refused(refused[-1].stem) or "no reason was kept")
            what = f"the server refused {len(refused)} {kind.replace('_', ' ')}, the last: {reason}"
            yield Finding(what, "memory sync --retry-refused")
    state = sync_state.load()
    if state.failures >= STUCK_AFTER:
        yield Finding(f"{state.failures} deliveries in a row failed, the last: {_line(state.error)}", "memory sync")
    used, limit = sum(quota.used().values()), quota.limit()
    if used > 0.9 * limit:
        what = (
            f"{used // quota.MEGABYTE} MB wait for the server, of {limit // quota.MEGABYTE}: the oldest tool calls go"
        )
        yield Finding(what, "memory sync, or more room: memory config set outbox_mb 500")


def observers_run(view: View) -> Iterator[Finding]:
    """No observer was given up because it failed again and again."""
    for name, reason in failing_observers():
        what = f"the observer {name} failed again and again and is left out: {_line(reason)}"
        yield Finding(what, "memory trajectory show; memory trajectory clear has it begin anew")


def failing_observers() -> list[tuple[str, str]]:
    """The observers that were given up in a session of the last days, each with its last failure."""
    found = {}
    for trajectory in store.all_trajectories()[:_MOST_SESSIONS]:
        if time.time() - trajectory.used_at() > RECENT_SECONDS:
            break
        observers = trajectory.state().get("observers")
        for name, memory in observers.items() if isinstance(observers, dict) else ():
            if isinstance(memory, dict) and int(memory.get("failures_in_a_row") or 0) >= 3:
                found[str(name)] = str(memory.get("last_failure") or "")
    return sorted(found.items())


def _is_usable(folder: Path) -> bool:
    """By doing it: what the mode says is not all, on file systems that are read-only or of a network."""
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


def _line(said: str) -> str:
    return text.shorten(text.one_line(text.printable(said)), 200)
