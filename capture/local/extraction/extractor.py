"""Turns new messages into learnings, and keeps what it needs of earlier messages between two readings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from capture.local.extraction import corrections
from capture.local.extraction.calls.background_jobs import BackgroundJobs
from capture.local.extraction.calls.edits import EDITS
from capture.local.extraction.calls.fixed_errors import FixedErrors
from capture.local.extraction.calls.joint_edits import JointEdits
from capture.local.extraction.calls.project_commands import ProjectCommands
from capture.local.extraction.command_outcomes import Attempts
from capture.local.extraction.learning import SHORTEST_CONTENT, Learning
from capture.local.extraction.revocations import WITHIN, Statement, taken_back, turned_down
from capture.local.extraction.scoring.model import Model, model_for
from capture.local.extraction.sentence_learnings import learnings_in
from capture.local.extraction.shown import Shown, is_ours
from capture.local.transcripts.messages import Message, Outcome, Role, ToolResult, ToolUse
from memoryserver.common.redaction import redact
from memoryserver.common.text import printable, wording

if TYPE_CHECKING:
    from capture.local.extraction.ahead import Found

_QUESTION_TOOLS = frozenset({"AskUserQuestion"})
_MAX_TOOLS = 3
_MOST_SAID = 20  # of the agent's statements, that it may take back
_PRIVATE = "[redacted:private]"
_PRIVATE_SENTENCE = re.compile(r"(^|[.!?\n]\s*)\[redacted:private\]\s*")


class IncrementalExtractor:
    """Extracts learnings from one transcript, reading after reading, with the same result as from a single reading.

    What the agent takes back in a later reading was returned before; it is in `withdrawn`.

    `memory` is the `memory` of the extractor of the previous reading; empty at the start of a transcript. `models`
    returns the model that scores the sentences of a role. `context` returns the context with which the session began,
    and is called if it is needed: what the agent repeats of it, or of a search in the transcript, is no learning.
    `ahead` returns what was already found in a text (see `Ahead.found`), None if nobody looked.
    """

    def __init__(
        self,
        memory: dict[str, Any] | None = None,
        models: Callable[[Role], Model] = model_for,
        *,
        context: Callable[[], str] = str,
        ahead: Callable[[Role, str], Found | None] | None = None,
    ) -> None:
        memory = memory or {}
        self._shown = Shown(memory.get("shown", []))
        self._read_context = context
        self._models = models
        self._ahead = ahead
        self._attempts = Attempts(memory.get("attempts", {}))
        self._jobs = BackgroundJobs(memory.get("jobs", {}))
        self._commands = ProjectCommands(memory.get("commands", {}))
        self._errors = FixedErrors(memory.get("errors", {}))
        self._joint_edits = JointEdits(memory.get("joint_edits", {}))
        self._tools: list[str] = list(memory.get("tools", []))
        self._questions: str = memory.get("asked", "")  # at the end of the agent's last message
        self._agent_text: str = memory.get("stated", "")  # the agent's last words
        stopped = memory.get("stopped")
        self._stopped_use = ToolUse.from_dict(stopped) if stopped else None
        self._said = [Statement(*statement) for statement in memory.get("said", [])]  # by the agent, the last ones
        self.withdrawn: list[Statement] = []
        self.redacted: dict[str, int] = {}

    @property
    def memory(self) -> dict[str, Any]:
        """Return the memory for the extractor of the next reading, as a JSON object without secrets."""
        stopped = self._stopped_use.to_dict() if self._stopped_use else None
        return {
            "attempts": self._attempts.memory(),
            "jobs": self._jobs.memory(),
            "commands": self._commands.memory(),
            "errors": self._errors.memory(),
            "joint_edits": self._joint_edits.memory(),
            "tools": self._tools,
            "asked": self._questions,
            "stated": self._last_statement(),
            "stopped": stopped,
            "said": [list(statement) for statement in self._said],
            "shown": self._shown.lines,
        }

    def extract(self, messages: Iterable[Message], *, after: int = 0) -> list[Learning]:
        """Return the learnings in those of `messages` whose index is above `after`, in order, without duplicates.

        Those that the agent takes back in a later one of `messages` are left out; those of an earlier reading that it
        takes back are added to `withdrawn`. Messages must come in their order. Secrets are redacted first; `redacted`
        counts them by kind.
        """
        learnings: dict[tuple[str, str], Learning] = {}
        index = after
        for message in messages:
            if message.index <= after:
                continue
            index = message.index
            if self._said and message.text:
                self._take_back(message, learnings)
            for learning in self._from_message(message):
                if message.role == Role.AGENT and self._is_repeated(learning.content):
                    continue
                if len(learning.content) >= SHORTEST_CONTENT and _PRIVATE not in learning.content:
                    learnings.setdefault((learning.type, wording(learning.content)), learning)
                    if message.role == Role.AGENT:
                        self._said = [*self._said, Statement.of(learning)][-_MOST_SAID:]
        self._said = [statement for statement in self._said if index - statement.source_message_index < WITHIN]
        return list(learnings.values())

    @cached_property
    def _context(self) -> Shown:
        context = Shown()
        context.add(self._read_context())
        return context

    def _is_repeated(self, content: str) -> bool:
        return self._shown.repeats(content) or self._context.repeats(content)

    def _take_back(self, message: Message, learnings: dict[tuple[str, str], Learning]) -> None:
        """Remove from `learnings` what `message` takes back or turns down, or note that it was returned before."""
        revoked = taken_back if message.role == Role.AGENT else turned_down
        for statement in revoked(message.text, message.index, self._said):
            self._said.remove(statement)
            if learnings.pop((statement.type, wording(statement.content)), None) is None:
                self.withdrawn.append(statement)

    def _from_message(self, message: Message) -> list[Learning]:
        learnings: list[Learning | None] = []
        if message.uses:
            self._jobs.record_uses(message)
            self._commands.record_uses(message)
            self._errors.record_uses(message, self._redact)
        for reported in message.results:
            result = self._jobs.settle(reported)
            if is_ours(reported.use):
                self._shown.add(self._redact(reported.text))
            if result is not None:
                learnings += self._from_result(message, result)
        if message.role == Role.AGENT:
            learnings += self._from_agent(message)
        elif message.text:  # a person's, which may come with results
            learnings += self._from_person(message)
        return [learning for learning in learnings if learning is not None]

    def _from_result(self, message: Message, result: ToolResult) -> list[Learning | None]:
        use = result.use
        if result.outcome == Outcome.REJECTED:
            # Without a comment, the person's next message says what they want.
            self._stopped_use = None if result.comment else use
            comment = self._redact(result.comment)
            return [corrections.from_rejection(message, use, comment)] if comment else []
        if use is not None and use.name in _QUESTION_TOOLS and result.outcome == Outcome.OK:
            return [*corrections.from_form(message, self._redact(result.text))]
        if self._tells_nothing(result):
            return []
        learning = self._attempts.record_result(message, result, self._redact)
        learning = self._errors.record_result(message, result, self._redact) or learning
        together = self._joint_edits.record_result(message, result, self._redact)
        return [learning, self._commands.record_result(message, result, self._redact), *together]

    def _tells_nothing(self, result: ToolResult) -> bool:
        """Return whether nothing can be learned from `result`: a call worked that is neither a command nor an edit.

        While a failed command is remembered, each call counts, since it is forgotten after some calls.
        """
        use = result.use
        return (
            result.outcome == Outcome.OK
            and use is not None
            and not use.raw_command
            and use.name not in EDITS
            and not self._attempts.has_failures
        )

    def _from_agent(self, message: Message) -> list[Learning | None]:
        self._stopped_use = None
        learnings: list[Learning | None] = []
        if message.text:
            learnings += self._from_agent_text(message)
        names = [use.name for use in message.uses if use.name]
        if names and names != self._tools[-1:]:  # which would change nothing
            self._tools = list(dict.fromkeys([*self._tools, *names][::-1]))[:_MAX_TOOLS][::-1]
        return learnings

    def _from_agent_text(self, message: Message) -> list[Learning]:
        text = _printable(message.text)
        may_ask = not message.uses and corrections.may_end_with_question(text)
        may_name_cause = self._attempts.may_name_cause(text)
        learnings, text = self._from_text(message, text, always_redact=may_ask or may_name_cause)
        if may_name_cause:
            self._attempts.record_cause(text, learnings)
        self._questions = corrections.final_questions(text) if may_ask else ""
        self._agent_text = text
        return learnings

    def _last_statement(self) -> str:
        """Return the agent's last statement without secrets; computed when needed, since few are objected to."""
        return corrections.last_statement(redact(self._agent_text).text)

    def _from_person(self, message: Message) -> list[Learning | None]:
        stopped_use, self._stopped_use = self._stopped_use, None
        questions, self._questions = self._questions, ""
        self._tools = []
        text = _printable(message.text)
        self._commands.record_text(message, text, self._redact)
        if stopped_use is not None or questions:
            message.text = text = self._redact(text)
            model = self._models(Role.PERSON)
            learning = corrections.from_interruption(message, stopped_use, model)
            learning = learning or corrections.from_answer(message, questions)
            if learning is not None:
                return [learning]
        if corrections.may_object(text):
            message.text = text = self._redact(text)
            learning = corrections.from_objection(message, self._last_statement())
            if learning is not None:
                return [learning]
        return [*self._from_text(message, text, always_redact=False)[0]]

    def _from_text(self, message: Message, text: str, *, always_redact: bool) -> tuple[list[Learning], str]:
        """Return the learnings in `text`, and `text` without secrets.

        Most texts hold no learning. Such a text is returned as it is, without the search for secrets, unless
        `always_redact` is set or it may contain a private part, which can split sentences.
        """
        learnings: list[Learning] | None = None
        if not always_redact and "private" not in text.lower():
            learnings, is_clean = self._learnings_in(message, text)
            if not learnings or is_clean:
                return learnings, text
        redacted = self._redact(text)
        if learnings is None or redacted != text:
            learnings, _ = self._learnings_in(message, redacted)
        return learnings, redacted

    def _learnings_in(self, message: Message, text: str) -> tuple[list[Learning], bool]:
        """Return the learnings in `text`, and whether it is known to have no secrets."""
        tools = tuple(self._tools)
        found = self._ahead(message.role, text) if self._ahead else None
        if found is None:
            return list(learnings_in(message, text, tools, self._models)), False
        index, uuid, time = message.index, message.uuid, message.time
        learnings = [
            replace(one, source_message_index=index, source_message_uuid=uuid, tools=tools, time=time)
            for one in found.learnings
        ]
        return learnings, found.is_clean

    def _redact(self, text: str) -> str:
        """Return `text` without secrets. Called only for texts that may yield a learning: most do not."""
        if not text:
            return ""
        redacted = redact(_printable(text))
        for kind, count in redacted.counts.items():
            self.redacted[kind] = self.redacted.get(kind, 0) + count
        return _PRIVATE_SENTENCE.sub("\\1\n\n", redacted.text) if _PRIVATE in redacted.text else redacted.text


def _printable(text: str) -> str:
    """Return `text` without terminal sequences and control characters."""
    return text if text.replace("\n", "").isprintable() else printable(text)
