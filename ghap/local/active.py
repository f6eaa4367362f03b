"""The active entry as a hook needs it at every tool call: read from its file without the entry's classes.

A damaged file counts as missing here; the calls that change something repair it. Beside the journal's own files
lies `.hook.json`: whose entry it is, of which iteration the question was put after a test run, and in which one
something was changed.
"""

from __future__ import annotations

import json

from ghap.local import layout
from memoryserver.common import files, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

_MAX_SHOWN = 300  # characters of a text of the entry


class Active:
    """The active entry of a journal: its id, session, check, number of iterations, and its texts to be shown.

    `agent_session` is the agent's session that began it, "" where it is not known.
    """

    __slots__ = ("_texts", "agent_session", "check", "id", "iteration", "session_id")

    def __init__(self, fields: dict[str, object]) -> None:
        self.id = _line(fields.get("id"))
        self.session_id = _line(fields.get("session_id"))
        self.agent_session = _line(fields.get("agent_session"))[:200]
        check = fields.get("check")
        self.check = check if isinstance(check, str) else ""
        iteration = fields.get("iteration_count")
        self.iteration = iteration if isinstance(iteration, int) else 1
        self._texts = fields

    def shown(self, name: str) -> str:
        """Return one of its texts on one line of at most 300 characters, without what could end a tag."""
        return _line(self._texts.get(name)).replace("<", "‹")

    def lines(self, *names: str) -> list[str]:
        """Return the texts `names` as `Goal: ...`, without the empty ones."""
        return [f"{name.capitalize()}: {shown}" for name in names if (shown := self.shown(name))]


def load(journal_dir: Path) -> Active | None:
    """Return the active entry, of any session; None where there is none that can be read."""
    fields = files.read_object(journal_dir / layout.CURRENT)
    return Active(fields) if fields.get("id") else None


class Notes:
    """What hooks remember of an entry: the agent's session, and the sub-agent in it, that began or adopted it ("" where
    unknown), and the iterations of the last question, of the last change and of the last one to files of tests alone.

    `told` names the messages about it that the agent has had. `is_new`: nothing is remembered of it yet.
    """

    __slots__ = ("agent_id", "agent_session", "asked", "changed", "changed_tests", "entry_id", "is_new", "told")

    def __init__(
        self, entry_id: str, agent_session: str = "", agent_id: str = "", asked: int = 0, *, is_new: bool = False
    ) -> None:
        self.entry_id = entry_id
        self.agent_session = agent_session
        self.agent_id = agent_id
        self.asked = asked
        self.changed = self.changed_tests = 0
        self.told: list[str] = []
        self.is_new = is_new


def notes(journal_dir: Path, entry: Active) -> Notes:
    """Return what is remembered of `entry`; new notes where the file is of another entry."""
    fields = files.read_object(journal_dir / layout.HOOK_NOTES)
    if fields.get("entry") != entry.id:
        return Notes(entry.id, is_new=True)
    found = Notes(entry.id, _line(fields.get("session")), _line(fields.get("agent")), _whole(fields.get("asked")))
    found.changed, found.changed_tests = _whole(fields.get("changed")), _whole(fields.get("changed_tests"))
    told = fields.get("told")
    found.told = [_line(word) for word in told] if isinstance(told, list) else []
    return found


def agent_session(journal_dir: Path, entry_id: str) -> str:
    """Return the agent's session that began or adopted the entry, "" where the hooks did not see it."""
    fields = files.read_object(journal_dir / layout.HOOK_NOTES)
    return _line(fields.get("session"))[:200] if fields.get("entry") == entry_id else ""


def save_notes(journal_dir: Path, notes: Notes) -> None:
    """Save `notes` for the next hook. Raises OSError."""
    content = {"entry": notes.entry_id, "session": notes.agent_session, "agent": notes.agent_id, "asked": notes.asked}
    content |= {"changed": notes.changed, "changed_tests": notes.changed_tests, "told": notes.told}
    files.write_atomic(journal_dir / layout.HOOK_NOTES, json.dumps(content), durable=False)


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _line(value: object) -> str:
    if not isinstance(value, str):
        return ""
    return text.shorten(text.one_line(text.printable(value[: _MAX_SHOWN * 4])), _MAX_SHOWN)
