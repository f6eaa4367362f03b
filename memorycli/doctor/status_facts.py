"""The facts of `memory status`, from the laptop's files and, unless offline, from the server."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from capture.local import CaptureStateManager
from capture.local.queue import files
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.scanning.state import STATE_FOLDER
from capture.local.service import heartbeat, installer
from capture.local.service.installer import InstallError
from ghap.local import copies, counter, server_answers
from ghap.local.store import Store
from memorycli import renamed
from memorycli.agents import claude_code, plan
from memorycli.delivery import connection, quota
from memorycli.doctor.finding import View
from memorycli.doctor.laptop import disk_has_room, failing_observers
from memorycli.doctor.logs import last_errors
from memorycli.hook import ownership
from memoryserver.client import agent_processes, config, discarded, exclusions, sync_state
from memoryserver.client.outbox import Outbox, kinds
from memoryserver.common import clock
from trajectory.local import delivery


def gather(*, offline: bool) -> dict[str, Any]:
    """Return all facts as JSON values: times as ISO 8601 with a final Z, None for never, sizes in bytes."""
    view = View(offline=offline)
    return {
        "entry": _entry(view.project.journal),
        "server": None if offline else asdict(view.server),
        "sync": _sync(),
        "waiting": _waiting(view.home, view.project.journal),
        "disk_low": next((finding.what for finding in disk_has_room(view)), None),
        "dropped": _with_time(asdict(discarded.load()), "last"),
        "capture": _capture(view.home),
        "hooks": _hooks(view),
        "observers": [{"name": name, "last_failure": reason} for name, reason in failing_observers()],
        "errors": last_errors(view.home),
        "settings": config.problems(view.root),
        "home": str(view.home),
        "project": view.project.key(),
        "earlier_keys": list(renamed.earlier_keys(view.project)),
        "root": str(view.project.root),
        "excluded": exclusions.here() or None,
        "journal": str(view.project.journal),
    }


def _entry(folder: Path) -> dict[str, Any] | None:
    """Return the active entry of the journal in `folder`; `damaged` if it cannot be read."""
    if not counter.has_active_entry(folder):
        return None
    state = Store(folder).peek()
    if state is None:
        return {"damaged": True}
    entry = state.entry
    if entry is None:
        return None
    shown = {"id": entry.id, "goal": entry.goal, "hypothesis": entry.hypothesis}
    since = {"since": clock.to_text(entry.created_at), "calls_since_check_in": counter.peek(folder)}
    is_left = state.orphan is not None and ownership.is_left(folder, entry, agent_processes.session_of_command())
    return {"damaged": False, **shown, **since, "orphan": is_left}


def _sync() -> dict[str, Any]:
    state = asdict(sync_state.load())
    for name in ("tried", "succeeded", "not_before"):
        _with_time(state, name)
    return state


def _waiting(home: Path, journal: Path) -> dict[str, Any]:
    outboxes = {kind: Outbox(home, kind) for kind in kinds(home)}
    folder = home / QUEUE_FOLDER
    return {
        "queue_files": len(files.waiting(folder)),
        "queue_failed": len(files.failed(folder)),
        "outbox": {kind: len(outbox.waiting()) for kind, outbox in outboxes.items()},
        "outbox_failed": {kind: len(outbox.failed()) for kind, outbox in outboxes.items() if kind != copies.KIND},
        "journal_failed": len({*server_answers.refused(journal), *(path.stem for path in copies.outbox().failed())}),
        "tool_call_bytes": delivery.unsent((config.text("server_url") or connection.stored_url()).rstrip("/")),
        "bytes": quota.used(),
        "limit": quota.limit(),
    }


def _capture(home: Path) -> dict[str, Any]:
    daemon = heartbeat.running(home)
    states = CaptureStateManager(home / STATE_FOLDER).all()
    return {
        "daemon": asdict(daemon) if daemon else None,
        "installed": _service_is_installed(),
        "transcripts": len(states),
        "messages": sum(state.last_message_count for state in states),
        "last": max((state.last_capture_timestamp for state in states), default="") or None,
    }


def _service_is_installed() -> bool:
    try:
        return installer.service_for().path.exists()
    except (InstallError, OSError):  # no service is known for this system
        return False


def _hooks(view: View) -> dict[str, list[str]]:
    """Return for each agent of this laptop the scopes in which its hooks are installed."""
    scopes: dict[str, list[str]] = {plan.AGENTS[agent]: [] for agent in view.agents}
    for file in view.hook_files:
        if file.entries:
            posts = file.agent == claude_code.NAME and file.entries[0].handler.get("type") == "http"
            scopes[plan.AGENTS[file.agent]].append(f"{file.scope}, by HTTP" if posts else file.scope)
    return scopes


def _with_time(facts: dict[str, Any], name: str) -> dict[str, Any]:
    """Replace the seconds in `facts[name]` by ISO 8601."""
    seconds = facts[name]
    facts[name] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)) if seconds else None
    return facts


def as_json(facts: dict[str, Any]) -> str:
    """Return the facts for programs."""
    return json.dumps(facts, indent=2)
