"""Tells the server which contexts were read, so that those which yielded nothing are counted too.

    capture_state/.reported.json   {"server": URL, "contexts": {CONTEXT_ID: [mtime (ns) of its state, project]}}

A context is told of again when its state has changed since; what is told holds no word of it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from capture.local.scanning.provenance import project_of
from capture.local.scanning.state import CaptureState, CaptureStateManager
from capture.local.transcripts.discovery import READERS
from capture.local.transcripts.messages import Message
from memoryserver.common import clock, files

_log = logging.getLogger(__name__)
PATH = "/capture/contexts"
REPORTED_FILE = ".reported.json"
BATCH = 200
_HEAD_BYTES = 256 * 1024  # of a transcript, in which the folder of the work is named
_NANOSECONDS = 1_000_000_000

Post = Callable[[str, object], Any]


def report(folder: Path, post: Post, *, server: str) -> int:
    """Tell `server` of the contexts whose states in `folder` have changed since it was told; how many.

    What `post` raises passes through: the batches before it count as told. Raises OSError.
    """
    known = _load(folder / REPORTED_FILE, server)
    paths = {path.stem: path for path in sorted(folder.glob("[!.]*.json"))}
    told = {context_id: known[context_id] for context_id in paths if context_id in known}
    count = 0
    for batch in _batches(folder, paths, told):
        post(PATH, {"contexts": [described for described, _ in batch]})
        told.update({described["context_id"]: mark for described, mark in batch})
        files.write_atomic(folder / REPORTED_FILE, json.dumps({"server": server, "contexts": told}), durable=False)
        count += len(batch)
    return count


_Mark = list[Any]
_Described = tuple[dict[str, Any], _Mark]


def _batches(folder: Path, paths: dict[str, Path], told: dict[str, _Mark]) -> Iterator[list[_Described]]:
    states = CaptureStateManager(folder)
    batch: list[_Described] = []
    for context_id, path in paths.items():
        try:
            changed = path.stat().st_mtime_ns
            mark = told.get(context_id, [0, ""])
            if mark[0] == changed:
                continue
            state = states.load(context_id)
        except FileNotFoundError:  # deleted meanwhile
            continue
        project = mark[1] or _project(state)
        batch.append((_described(state, project, changed), [changed, project]))
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _described(state: CaptureState, project: str, changed: int) -> dict[str, Any]:
    """The last activity is when the transcript was written, as far as its state says."""
    written = min(state.fingerprint.stat[3] if state.fingerprint else changed, changed)
    return {
        "context_id": state.context_id,
        "agent_kind": state.agent_kind,
        "project": project,
        "message_count": state.last_message_count,
        "last_activity": clock.to_text(datetime.fromtimestamp(written / _NANOSECONDS, UTC)),
        "compaction_count": state.compaction_count,
    }


def _project(state: CaptureState) -> str:
    """Of the folder that the transcript's first messages name; "" where it is gone or names none."""
    reader = next((reader for reader in READERS if reader.agent_kind == state.agent_kind), None)
    if reader is None or not state.transcript:
        return ""
    try:
        with reader.open(Path(state.transcript)) as file:
            messages: list[Message] = reader.read(file, 0, {}, limit=_HEAD_BYTES).messages
    except Exception as error:  # noqa: BLE001 - the context is counted all the same
        _log.info("%s: its project is not known: %s", state.transcript, error)
        return ""
    return project_of(next((message.cwd for message in messages if message.cwd), ""))


def _load(path: Path, server: str) -> dict[str, _Mark]:
    """What `server` was told; nothing where that was another one. Telling again does no harm."""
    try:
        given = json.loads(path.read_bytes())
        contexts = given["contexts"] if given["server"] == server else {}
        return {str(name): [int(mark[0]), str(mark[1])] for name, mark in contexts.items()}
    except FileNotFoundError:
        return {}
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
        _log.warning("%s is corrupt (%s); all contexts are told of again", path, error)
        return {}
