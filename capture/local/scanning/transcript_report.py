"""Reports to the server which transcripts were read, so that those without learnings are counted too.

    capture_state/.reported.json    {"server": URL, "contexts": {CONTEXT_ID: [mtime (ns) of its state, project, ended]}}

A transcript is reported again when its state has changed since, and when its session has ended (`session_ends`). A
report contains none of its text. Reports that the server refuses are set aside in the outbox (kind `contexts`);
`memory sync --retry-failed` sends them from there.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from capture.local.scanning import session_ends
from capture.local.scanning.provenance import Projects
from capture.local.scanning.state import CaptureState, CaptureStateManager
from capture.local.transcripts.discovery import READERS, Transcript
from memoryserver.client import context_cache, delivery
from memoryserver.client.delivery import Item, Post, Report, UnexpectedAnswerError
from memoryserver.client.ended_sessions import EndedSessions
from memoryserver.client.outbox import Outbox
from memoryserver.common import clock, files
from memoryserver.common.digest import digest

_log = logging.getLogger(__name__)
PATH = "/capture/contexts"
OUTBOX_KIND = "contexts"
REPORTED_FILE = ".reported.json"
BATCH = 200
_NANOSECONDS = 1_000_000_000
_BYTES = 300  # of a report, about

_Mark = list[Any]  # the mtime (ns) of the state that was reported, the project, and when the session ended, if it had
_Origin = _Mark | Path  # the mark of a state, or a file of the outbox


def report(folder: Path, post: Post, *, server: str, retry_failed: bool = False) -> Report:
    """Report to `server` the transcripts whose states in `folder` have changed since they were reported there.

    With `retry_failed` reports that were set aside are sent first. Raises UnauthorizedError, OSError, and what `post`
    raises other than ServerError.
    """
    channel = TranscriptChannel(folder, server)
    if retry_failed:
        channel.outbox.put_back()
    return delivery.deliver(channel, post)


class TranscriptChannel:
    """The delivery channel (delivery.Channel) of reports on the transcripts whose states are in `folder`."""

    path = PATH
    max_bytes = 1_000_000

    def __init__(self, folder: Path, server: str, now: Callable[[], int] = time.time_ns) -> None:
        self.max_items = BATCH
        self._now = now
        self._ended = EndedSessions()
        self.outbox = Outbox(folder.parent, OUTBOX_KIND)
        self._folder = folder
        self._server = server
        self._reported = _load(folder / REPORTED_FILE, server)
        self._projects = Projects()

    def waiting(self) -> Iterator[Item[_Origin]]:
        """Yield the reports that were put back in the outbox, then those of changed states."""
        for path, content, size in self.outbox.contents():
            yield Item(path.stem, content, size, path)
        states = CaptureStateManager(self._folder)
        context_ids = states.context_ids()
        self._reported = {name: self._reported[name] for name in context_ids if name in self._reported}
        for context_id in context_ids:
            try:
                changed = states.modified_ns(context_id)
                mark = self._reported.get(context_id, [0, "", None])
                runs_still = not session_ends.may_have_ended(changed, self._ended, self._now())
                if mark[0] == changed and (runs_still or mark[2] is not None):
                    continue
                state = states.load(context_id)
            except FileNotFoundError:  # deleted meanwhile
                continue
            if self._is_excluded(state):
                continue
            project = state.project or mark[1] or self._project(state)
            content = self._content(state, project, changed)
            if mark != [changed, project, content["ended"]]:
                yield Item(context_id, content, _BYTES, [changed, project, content["ended"]])

    def _content(self, state: CaptureState, project: str, changed: int) -> dict[str, Any]:
        """Return the report; the last activity is when the transcript was written, as far as its state records it."""
        written = min(state.fingerprint.stat[3] if state.fingerprint else changed, changed)
        ended = session_ends.end_of(Path(state.transcript), written, self._ended, self._now())
        return {
            "context_id": state.context_id,
            "agent_kind": state.agent_kind,
            "project": project,
            "message_count": state.last_message_count,
            "last_activity": _text(written),
            "compaction_count": state.compaction_count,
            "ended": None if ended is None else _text(ended),
        }

    def _is_excluded(self, state: CaptureState) -> bool:
        """Return whether the session is one of an excluded folder, or was while it was read: nothing was captured."""
        transcript = _transcript_of(state)
        return not state.last_capture_timestamp or (
            transcript is not None and self._projects.is_excluded(transcript, state)
        )

    def _project(self, state: CaptureState) -> str:
        """Return the project of the session; it is not in the states of earlier versions."""
        transcript = _transcript_of(state)
        return "" if transcript is None else self._projects.locate(transcript, state, [])

    def body(self, items: Sequence[Item[_Origin]]) -> object:
        """Return {"contexts": [...]}."""
        return {"contexts": [item.content for item in items]}

    def reasons(self, answer: Any, items: Sequence[Item[_Origin]]) -> list[str | None]:
        """Return that all were accepted: the server confirms how many it received. Raises UnexpectedAnswerError."""
        if not isinstance(answer, dict) or answer.get("received") != len(items):
            raise UnexpectedAnswerError("the answer does not confirm the transcripts; is it a memoryserver?")
        return [None for _ in items]

    def settle(self, outcomes: Sequence[tuple[Item[_Origin], str | None]]) -> None:
        """Set refused reports aside, durably, and only then record all of them as reported."""
        for item, reason in outcomes:
            if reason is not None:
                name = item.origin.stem if isinstance(item.origin, Path) else digest(item.id.encode(), 16)
                self.outbox.set_aside(name, item.content, reason)
            elif isinstance(item.origin, Path):
                item.origin.unlink(missing_ok=True)
            if not isinstance(item.origin, Path):
                self._reported[item.id] = item.origin
            if reason is None and item.content["ended"] is not None:  # what was learned in it is provisional no more
                context_cache.record_change(item.content["project"])
        content = json.dumps({"server": self._server, "contexts": self._reported})
        files.write_atomic(self._folder / REPORTED_FILE, content, durable=False)


def _transcript_of(state: CaptureState) -> Transcript | None:
    reader = next((reader for reader in READERS if reader.agent_kind == state.agent_kind), None)
    return Transcript(Path(state.transcript), reader, state.context_id) if reader and state.transcript else None


def _text(nanoseconds: int) -> str:
    return clock.to_text(datetime.fromtimestamp(nanoseconds / _NANOSECONDS, UTC))


def _load(path: Path, server: str) -> dict[str, _Mark]:
    """Return what was reported to `server`; nothing if that was another one. Reporting again does no harm."""
    try:
        content = json.loads(path.read_bytes())
        marks = content["contexts"] if content["server"] == server else {}
        # The marks of earlier versions have no end.
        return {str(name): [int(mark[0]), str(mark[1]), (*mark, None)[2]] for name, mark in marks.items()}
    except FileNotFoundError:
        return {}
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
        _log.warning("%s is corrupt (%s); all transcripts are reported again", path, error)
        return {}
