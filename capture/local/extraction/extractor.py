"""Turns new messages into learnings; what one message must know of those before it is kept between readings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from capture.local.extraction import corrections
from capture.local.extraction.command_outcomes import Attempts
from capture.local.extraction.learning import SHORTEST_CONTENT, Learning
from capture.local.extraction.sentence_learnings import learnings_in
from capture.local.transcripts.messages import Message, Outcome, Role, ToolResult, ToolUse
from memoryserver.common.redaction import redact
from memoryserver.common.text import printable

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
            for learning in self._from_message(message):
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
            return [corrections.of_rejection(message, use, self._clean(result.said))] if result.said else []
        if use is not None and use.name in _QUESTION_TOOLS and result.outcome == Outcome.OK:
            return [*corrections.of_form(message, self._clean(result.text))]
        return [self._attempts.take(message, result, self._clean)]

    def _from_agent(self, message: Message) -> list[Learning | None]:
        self._stopped = None
        found: list[Learning | None] = []
        if message.text:
            found += self._from_agents_words(message)
        names = [use.name for use in message.uses if use.name]
        if names:
            self._tools = list(dict.fromkeys([*self._tools, *names][::-1]))[:_MOST_TOOLS][::-1]
        return found

    def _from_agents_words(self, message: Message) -> list[Learning]:
        text = _shown(message.text)
        asks = not message.uses and corrections.may_ask(text)
        listens = self._attempts.listens(text)
        said, text = self._learnings_in(message, text, whole=asks or listens)
        if listens:
            self._attempts.hear(text, said)
        self._asked = corrections.asked_in(text) if asks else ""
        return said

    def _from_person(self, message: Message) -> list[Learning | None]:
        stopped, self._stopped = self._stopped, None
        asked, self._asked = self._asked, ""
        self._tools = []
        text = _shown(message.text)
        if stopped is not None or asked:
            message.text = text = self._clean(text)
            corrected = corrections.of_interruption(message, stopped) or corrections.of_answer(message, asked)
            if corrected is not None:
                return [corrected]
        return [*self._learnings_in(message, text, whole=False)[0]]

    def _learnings_in(self, message: Message, text: str, *, whole: bool) -> tuple[list[Learning], str]:
        """What `text` teaches, and `text` without secrets.

        Most texts teach nothing, and are not searched for secrets unless `whole`, or what is private may part them.
        """
        tools = tuple(self._tools)
        found: list[Learning] | None = None
        if not whole and "private" not in text.lower():
            found = list(learnings_in(message, text, tools))
            if not found:
                return found, text
        cleaned = self._clean(text)
        if found is None or cleaned != text:
            found = list(learnings_in(message, cleaned, tools))
        return found, cleaned

    def _clean(self, text: str) -> str:
        """`text` without secrets; only what can teach something passes here, since most of a transcript cannot."""
        if not text:
            return ""
        redacted = redact(_shown(text))
        for kind, count in redacted.counts.items():
            self.redacted[kind] = self.redacted.get(kind, 0) + count
        return _PRIVATE_SENTENCE.sub("\\1\n\n", redacted.text) if redacted.counts else redacted.text


def _shown(text: str) -> str:
    """Without terminal sequences and control characters."""
    return text if text.replace("\n", "").isprintable() else printable(text)
