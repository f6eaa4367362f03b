"""The active entry as a hook needs it at every tool call: read as it stands, without the entry's classes.

What is damaged or missing is no entry here; the calls that change something mend it. Beside the journal's own files
lies `.hook.json`: whose entry it is, and of which iteration the question was put after a test run.
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
    """The active entry of a journal: its id, session, check, number of iterations, and its texts to be shown."""

    __slots__ = ("_texts", "check", "id", "iteration", "session_id")

    def __init__(self, given: dict[str, object]) -> None:
        self.id = _line(given.get("id"))
        self.session_id = _line(given.get("session_id"))
        check = given.get("check")
        self.check = check if isinstance(check, str) else ""
        iteration = given.get("iteration_count")
        self.iteration = iteration if isinstance(iteration, int) else 1
        self._texts = given

    def shown(self, name: str) -> str:
        """One of its texts on one line of at most 300 characters, without what could end a tag."""
        return _line(self._texts.get(name)).replace("<", "‹")

    def lines(self, *names: str) -> list[str]:
        """The texts `names` as `Goal: ...`, those that are empty left out."""
        return [f"{name.capitalize()}: {said}" for name in names if (said := self.shown(name))]


def load(journal_dir: Path) -> Active | None:
    """The active entry, of whatever session; None where there is none that can be read."""
    found = files.read_object(journal_dir / layout.CURRENT)
    return Active(found) if found.get("id") else None


class Notes:
    """What hooks remember of an entry: the agent's session, and the sub-agent in it, that began or adopted it ("" where
    that is not known), and the iteration that was asked about last.

    `is_new`: nothing is remembered of it yet.
    """

    __slots__ = ("agent_id", "agent_session", "asked", "entry_id", "is_new")

    def __init__(
        self, entry_id: str, agent_session: str = "", agent_id: str = "", asked: int = 0, *, is_new: bool = False
    ) -> None:
        self.entry_id = entry_id
        self.agent_session = agent_session
        self.agent_id = agent_id
        self.asked = asked
        self.is_new = is_new


def notes(journal_dir: Path, entry: Active) -> Notes:
    """What is remembered of `entry`; nothing of any other."""
    kept = files.read_object(journal_dir / layout.HOOK_NOTES)
    if kept.get("entry") != entry.id:
        return Notes(entry.id, is_new=True)
    asked = kept.get("asked")
    agent_session, agent_id = _line(kept.get("session")), _line(kept.get("agent"))
    return Notes(entry.id, agent_session, agent_id, asked if isinstance(asked, int) else 0)


def save_notes(journal_dir: Path, kept: Notes) -> None:
    """Remember `kept`. Raises OSError."""
    content = json.dumps(
        {"entry": kept.entry_id, "session": kept.agent_session, "agent": kept.agent_id, "asked": kept.asked}
    )
    files.write_atomic(journal_dir / layout.HOOK_NOTES, content, durable=False)


def _line(value: object) -> str:
    if not isinstance(value, str):
        return ""
    return text.shorten(text.one_line(text.printable(value[: _MAX_SHOWN * 4])), _MAX_SHOWN)
