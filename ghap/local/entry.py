"""A GHAP entry: goal, hypothesis, action, prediction, how they changed and its outcome; and its JSON.

This module owns the entry's form in files and on the wire. Each class keeps unknown fields in `extra` and
writes them again, so that an older version preserves what a newer one wrote.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

from ghap.local.fields import Fields, bounded, decode_object
from memoryserver.common import clock

ROOT_CAUSE_CATEGORIES = (
    "wrong-assumption",
    "missing-knowledge",
    "oversight",
    "environment-issue",
    "misleading-symptom",
    "incomplete-fix",
    "wrong-scope",
    "test-isolation",
    "timing-issue",
)
"""The suggested categories; any other kebab-case word is valid too."""


class Domain(Enum):
    """What kind of work the entry is about."""

    DEBUGGING = "debugging"
    REFACTORING = "refactoring"
    FEATURE = "feature"
    TESTING = "testing"
    CONFIGURATION = "configuration"
    DOCUMENTATION = "documentation"
    PERFORMANCE = "performance"
    SECURITY = "security"
    INTEGRATION = "integration"


class Strategy(Enum):
    """How the goal is approached."""

    SYSTEMATIC_ELIMINATION = "systematic-elimination"
    TRIAL_AND_ERROR = "trial-and-error"
    RESEARCH_FIRST = "research-first"
    DIVIDE_AND_CONQUER = "divide-and-conquer"
    ROOT_CAUSE_ANALYSIS = "root-cause-analysis"
    COPY_FROM_SIMILAR = "copy-from-similar"
    CHECK_ASSUMPTIONS = "check-assumptions"
    READ_THE_ERROR = "read-the-error"
    ASK_USER = "ask-user"


class OutcomeStatus(Enum):
    """How an entry ended."""

    CONFIRMED = "confirmed"
    FALSIFIED = "falsified"
    ABANDONED = "abandoned"


class ConfidenceTier(Enum):
    """How far the outcome can be relied on; bronze is given by the server alone, for a poor hypothesis."""

    GOLD = "gold"
    SILVER = "silver"
    BRONZE = "bronze"
    ABANDONED = "abandoned"


@dataclass
class RootCause:
    """Why a prediction failed: a kebab-case category and its description."""

    category: str
    description: str
    extra: dict[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {"category": self.category, "description": self.description, **self.extra}

    @classmethod
    def from_dict(cls, value: object, where: str = "root_cause") -> RootCause:
        """Return the root cause in a JSON object; InvalidEntryError names what is wrong, led by `where`."""
        fields = Fields(value, where)
        return cls(fields.text("category"), fields.text("description"), fields.rest())


@dataclass
class Lesson:
    """What worked, and what to remember of it."""

    what_worked: str
    takeaway: str | None = None
    extra: dict[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object; without a takeaway it has no such field."""
        return {"what_worked": self.what_worked, **_without_none(takeaway=self.takeaway), **self.extra}

    @classmethod
    def from_dict(cls, value: object, where: str = "lesson") -> Lesson:
        """Return the lesson in a JSON object; InvalidEntryError names what is wrong, led by `where`."""
        fields = Fields(value, where)
        return cls(fields.text("what_worked"), fields.optional_text("takeaway"), fields.rest())


@dataclass
class HistoryEntry:
    """An earlier hypothesis, action and prediction; `timestamp` is when they became current."""

    timestamp: datetime
    hypothesis: str
    action: str
    prediction: str
    extra: dict[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "timestamp": clock.to_text(self.timestamp),
            "hypothesis": self.hypothesis,
            "action": self.action,
            "prediction": self.prediction,
            **self.extra,
        }

    @classmethod
    def from_dict(cls, value: object, where: str = "history") -> HistoryEntry:
        """Return the iteration in a JSON object; InvalidEntryError names what is wrong, led by `where`."""
        fields = Fields(value, where)
        return cls(
            timestamp=fields.moment("timestamp"),
            hypothesis=fields.text("hypothesis"),
            action=fields.text("action"),
            prediction=fields.text("prediction"),
            extra=fields.rest(),
        )


@dataclass
class Outcome:
    """The outcome of an entry; `auto_captured` where the result of a command decided it."""

    status: OutcomeStatus
    result: str
    captured_at: datetime
    auto_captured: bool = False
    extra: dict[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "status": self.status.value,
            "result": self.result,
            "captured_at": clock.to_text(self.captured_at),
            "auto_captured": self.auto_captured,
            **self.extra,
        }

    @classmethod
    def from_dict(cls, value: object, where: str = "outcome") -> Outcome:
        """Return the outcome in a JSON object; InvalidEntryError names what is wrong, led by `where`."""
        fields = Fields(value, where)
        status, result = fields.choice("status", OutcomeStatus), fields.text("result")
        return cls(status, result, fields.moment("captured_at"), fields.flag("auto_captured"), fields.rest())


@dataclass
class GHAPEntry:
    """One goal with its current hypothesis, action and prediction, what was tried before, and the outcome.

    Times are aware UTC. Beyond the published form: `check` is the command whose result decides the entry,
    `current_since` when the present hypothesis, action and prediction became current (absent: `created_at`),
    `agent_session` the id of the agent's session that worked on it, where it is known, `earlier_agent_sessions`
    those that worked on it before, `earlier_outcomes` what its outcome was before it was corrected.
    """

    id: str
    session_id: str
    created_at: datetime
    domain: Domain
    strategy: Strategy
    goal: str
    hypothesis: str
    action: str
    prediction: str
    history: list[HistoryEntry] = field(default_factory=list)
    iteration_count: int = 1
    outcome: Outcome | None = None
    surprise: str | None = None
    root_cause: RootCause | None = None
    lesson: Lesson | None = None
    confidence_tier: ConfidenceTier | None = None
    notes: list[str] = field(default_factory=list)
    check: str | None = None
    current_since: datetime | None = None
    agent_session: str | None = None
    earlier_agent_sessions: list[str] = field(default_factory=list)
    earlier_outcomes: list[Outcome] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object, its fields in the published order, without those that are None."""
        return {
            "id": self.id,
            "session_id": self.session_id,
            "created_at": clock.to_text(self.created_at),
            "domain": self.domain.value,
            "strategy": self.strategy.value,
            "goal": self.goal,
            "hypothesis": self.hypothesis,
            "action": self.action,
            "prediction": self.prediction,
            "history": [item.to_dict() for item in self.history],
            "iteration_count": self.iteration_count,
            **_without_none(
                outcome=self.outcome and self.outcome.to_dict(),
                surprise=self.surprise,
                root_cause=self.root_cause and self.root_cause.to_dict(),
                lesson=self.lesson and self.lesson.to_dict(),
                confidence_tier=self.confidence_tier and self.confidence_tier.value,
            ),
            "notes": list(self.notes),
            **_without_none(check=self.check, current_since=self.current_since and clock.to_text(self.current_since)),
            **_without_none(agent_session=self.agent_session),
            **_without_none(earlier_agent_sessions=list(self.earlier_agent_sessions) or None),
            **_without_none(earlier_outcomes=[item.to_dict() for item in self.earlier_outcomes] or None),
            **self.extra,
        }

    @classmethod
    def from_dict(cls, data: object) -> GHAPEntry:
        """Return the entry in a JSON object, texts cleaned and bounded, unknown fields kept in `extra`.

        Raises InvalidEntryError (a ValueError) with one sentence naming the field for anything else: a
        required field missing or null, a wrong type, an unknown enum value, a bad time.
        """
        fields = Fields(data)
        history = fields.items("history")
        return cls(
            id=fields.identifier("id"),
            session_id=fields.identifier("session_id"),
            created_at=fields.moment("created_at"),
            domain=fields.choice("domain", Domain),
            strategy=fields.choice("strategy", Strategy),
            goal=fields.text("goal"),
            hypothesis=fields.text("hypothesis"),
            action=fields.text("action"),
            prediction=fields.text("prediction"),
            history=[HistoryEntry.from_dict(item, f"history[{i}]") for i, item in enumerate(history)],
            iteration_count=fields.count("iteration_count", default=len(history) + 1),
            outcome=Outcome.from_dict(fields.required("outcome")) if fields.has("outcome") else None,
            surprise=fields.optional_text("surprise"),
            root_cause=RootCause.from_dict(fields.required("root_cause")) if fields.has("root_cause") else None,
            lesson=Lesson.from_dict(fields.required("lesson")) if fields.has("lesson") else None,
            confidence_tier=fields.optional_choice("confidence_tier", ConfidenceTier),
            notes=[bounded(note, f"notes[{i}]") for i, note in enumerate(fields.items("notes"))],
            check=fields.optional_text("check"),
            current_since=fields.optional_moment("current_since"),
            agent_session=fields.optional_text("agent_session"),
            earlier_agent_sessions=[bounded(each, "session")[:200] for each in fields.items("earlier_agent_sessions")],
            earlier_outcomes=[Outcome.from_dict(item) for item in fields.items("earlier_outcomes")],
            extra=fields.rest(),
        )

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the entry as JSON text, on one line unless `indent` is given; never a line break inside a line."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> GHAPEntry:
        """Return the entry in JSON text or UTF-8 bytes (a BOM may lead); raises like `from_dict`."""
        return cls.from_dict(decode_object(text))


def compute_confidence_tier(entry: GHAPEntry) -> ConfidenceTier:
    """Return the tier of a resolved entry by how its outcome was captured; ValueError where it has no outcome yet."""
    if entry.outcome is None:
        raise ValueError(f"{entry.id} has no outcome yet, so no confidence tier")
    if entry.outcome.status is OutcomeStatus.ABANDONED:
        return ConfidenceTier.ABANDONED
    return ConfidenceTier.GOLD if entry.outcome.auto_captured else ConfidenceTier.SILVER


def _without_none(**fields: Any) -> dict[str, Any]:
    """Return `fields` without those that are None."""
    return {name: value for name, value in fields.items() if value is not None}
