"""Eight long conversations with questions, a text for each turn: the fourth set of `bench/relevance.py`.

`data/conversation_N.txt` are chats of two friends over a year, in which topics come back and an answer often needs the
question before it. "@ day, time" begins a session, "NAME: words" is a turn, "?KIND EVIDENCE words" a question, its
evidence being all turns that answer it, such as "3:12,7:4" (session and turn, from 1). KIND is `single` (a fact of one
turn), `several` (a list), `time` or `inference`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from bench.support.relevance.data import Collected, Question, Text

DATA = Path(__file__).parent.parent.parent / "data"
TUNED_ON = ("conversation_1", "conversation_2", "conversation_3")
LOOKED_AT = ("conversation_4", "conversation_5", "conversation_6")
"""Not tuned on, but measured more than once while it was decided what to keep."""

UNSEEN = ("conversation_7", "conversation_8")
"""Written when the values were chosen; docs/search.md says how often they were measured since."""


def conversation(name: str) -> Collected:
    """Return that of `name`."""
    texts: dict[str, Text] = {}
    questions: list[Question] = []
    session, turn, day = 0, 0, datetime.min.replace(tzinfo=UTC)
    for line in (DATA / f"{name}.txt").read_text("utf-8").splitlines():
        if line.startswith("@"):
            session, turn, day = session + 1, 0, _day(line[2:])
        elif line.startswith("?"):
            _, evidence, words = line.split(" ", 2)
            questions.append(Question(words, frozenset(_known(evidence.split(","), texts))))
        elif line:
            turn += 1
            texts[f"{session}:{turn}"] = Text(f"{name}-{session}:{turn}", line, day=day)
    return Collected(list(texts.values()), questions)


def _known(places: Iterable[str], texts: dict[str, Text]) -> list[str]:
    return [texts[place].key for place in places]


def _day(written: str) -> datetime:
    """Of "7 March 2023, 8:12 pm"."""
    return datetime.strptime(written, "%d %B %Y, %I:%M %p").replace(tzinfo=UTC)
