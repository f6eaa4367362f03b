"""Turns new messages into learnings; what one message must know of those before it is kept between readings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from capture.local import corrections
from capture.local.attempts import Attempts
from capture.local.learning import SHORTEST_CONTENT, Learning
from capture.local.transcripts.messages import Message, Outcome, Role, ToolResult, ToolUse
from capture.local.words import learnings_in
from memoryserver.local.redaction import redact
from memoryserver.local.text import printable

_QUESTION_TOOLS = frozenset({"AskUserQuestion"})
_MOST_TOOLS = 3
_PRIVATE = "[redacted:private]"
_PRIVATE_SENTENCE = re.compile(r"(^|[.!?\n]\s*)\[redacted:private\]\s*")


class IncrementalExtractor:
    """Extracts from one context, reading after reading, as if it had been read at once.

    `memory` is what the extractor of the reading before left in its `memory`, empty at the start of a context.
    """

    def __init__(self, memory: dict[str, Any] | None = None) -> None:
        given = memory or {}
        self._attempts = Attempts(given.get("attempts", {}))
        self._tools: list[str] = list(given.get("tools", []))
        self._asked: str = given.get("asked", "")
        stopped = given.get("stopped")
        self._stopped = ToolUse.from_dict(stopped) if stopped else None
        self.redacted: dict[str, int] = {}

    @property
    def memory(self) -> dict[str, Any]:
        """For the extractor of the next reading, as JSON, without secrets."""
        stopped = self._stopped.to_dict() if self._stopped else None
        return {"attempts": self._attempts.memory(), "tools": self._tools, "asked": self._asked, "stopped": stopped}

    def extract(self, messages: Iterable[Message], *, after: int = 0) -> list[Learning]:
        """The learnings in those of `messages` whose index is above `after`, in order, each content once.

        Messages must come in their order. Secrets are cut out first; `redacted` counts them by kind.
        """
        found: dict[tuple[str, str], Learning] = {}
        for message in messages:
            if message.index <= after:
                continue
            for learning in self._from_message(self._without_secrets(message)):
                if len(learning.content) >= SHORTEST_CONTENT and _PRIVATE not in learning.content:
                    found.setdefault((learning.type, learning.content.casefold()), learning)
        return list(found.values())

    def _from_message(self, message: Message) -> list[Learning]:
        found: list[Learning | None] = []
        for result in message.results:
            found += self._from_result(message, result)
        if message.role == Role.AGENT:
            found += self._from_agent(message)
        elif message.text:  # a person's, beside results too
            found += self._from_person(message)
        return [learning for learning in found if learning is not None]

    def _from_result(self, message: Message, result: ToolResult) -> list[Learning | None]:
        use = result.use
        if result.outcome == Outcome.REJECTED:
            # Without a word of theirs, what they want follows in their next message.
            self._stopped = None if result.said else use
            return [corrections.of_rejection(message, use, result.said)] if result.said else []
        if use is not None and use.name in _QUESTION_TOOLS and result.outcome == Outcome.OK:
            return [*corrections.of_form(message, result.text)]
        return [self._attempts.take(message, result)]

    def _from_agent(self, message: Message) -> list[Learning | None]:
        self._stopped = None
        found: list[Learning | None] = []
        if message.text:
            said = list(learnings_in(message, tuple(self._tools)))
            self._attempts.hear(message, said)
            self._asked = "" if message.uses else corrections.asked_in(message.text)
            found += said
        names = [use.name for use in message.uses if use.name]
        self._tools = list(dict.fromkeys([*self._tools, *names][::-1]))[:_MOST_TOOLS][::-1]
        return found

    def _from_person(self, message: Message) -> list[Learning | None]:
        stopped, self._stopped = self._stopped, None
        asked, self._asked = self._asked, ""
        self._tools = []
        if stopped is not None:
            corrected = corrections.of_interruption(message, stopped)
            if corrected is not None:
                return [corrected]
        answered = corrections.of_answer(message, asked)
        return [answered] if answered is not None else [*learnings_in(message, ())]

    def _without_secrets(self, message: Message) -> Message:
        """Only what is looked at is kept of it: the most of a transcript is output that nobody asks for."""
        if not message.text and not message.results:
            return message
        results = tuple(
            replace(one, text=self._clean(one.text) if _is_read(one) else "", said=self._clean(one.said))
            for one in message.results
        )
        return replace(message, text=self._clean(message.text), results=results)

    def _clean(self, text: str) -> str:
        if not text:
            return ""
        redacted = redact(text)
        for kind, count in redacted.counts.items():
            self.redacted[kind] = self.redacted.get(kind, 0) + count
        text = _PRIVATE_SENTENCE.sub("\\1\n\n", redacted.text) if redacted.counts else redacted.text
        return text if text.replace("\n", "").isprintable() else printable(text)


def _is_read(result: ToolResult) -> bool:
    """Whether anything is learned from what the tool gave back."""
    return Attempts.reads(result) or (result.use is not None and result.use.name in _QUESTION_TOOLS)
