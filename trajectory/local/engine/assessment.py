"""Assessment and Observation: what an observer found, rendered as Markdown that quoted text cannot break.

What an agent's tools print is written by strangers. Everything rendered here is therefore bounded and free of
control characters; summaries, categories and suggestions stay on one line, so they forge no heading; evidence
is in a fence that is longer than any in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from memoryserver.common import clock, text
from memoryserver.common.light import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Severity = Literal["info", "caution", "warning"]
else:
    Severity = str
SEVERITIES: tuple[Severity, ...] = ("info", "caution", "warning")  # in order, the worst last

MAX_OBSERVATIONS = 8
MAX_SUGGESTIONS = 8
MAX_CALLS = 50
_MAX_NAME = 80
_MAX_LINE = 400
_MAX_EVIDENCE = 1500
_MAX_EVIDENCE_LINES = 20


@dataclass(frozen=True)
class Observation:
    """Single observation about the trajectory; `evidence` cites the calls and patterns it rests on."""

    category: str
    description: str
    evidence: str | None = None


@dataclass(frozen=True)
class Assessment:
    """Structured output from trajectory observation.

    `identity` names the finding apart from its figures: the agent is notified of the same finding once. By
    default it is made of the categories of the observations. `calls` are the numbers of the calls that the
    finding is based on. `headline` is what a short message to the agent begins with; by default the summary and the
    first suggestion. A timestamp without a zone is taken as UTC.
    """

    observer_name: str
    summary: str
    observations: tuple[Observation, ...] = ()
    suggestions: tuple[str, ...] = ()
    severity: Severity = "info"
    timestamp: datetime = field(default_factory=clock.now)
    identity: str = ""
    calls: tuple[int, ...] = ()
    headline: str = ""

    def __post_init__(self) -> None:
        if self.severity not in SEVERITIES:
            raise ValueError(f"severity must be one of {', '.join(SEVERITIES)}, not {self.severity!r}")
        if self.timestamp.tzinfo is None:
            object.__setattr__(self, "timestamp", self.timestamp.replace(tzinfo=UTC))
        if not self.identity:
            categories = sorted({observation.category for observation in self.observations})
            object.__setattr__(self, "identity", ", ".join(categories))

    @property
    def says_something(self) -> bool:
        """Return whether there is a finding in it; "no concerning patterns" is none and is not written anywhere."""
        return bool(self.observations) or self.severity != "info"

    def render(self) -> str:
        """Render as markdown for context injection: at most some 25,000 characters, whatever is in it."""
        lines = [
            f"## {_line(self.observer_name, _MAX_NAME)}",
            "",
            f"**Severity**: {self.severity}  ",
            f"**Time**: {clock.to_text(self.timestamp)}",
            "",
            "### Summary",
            "",
            _line(self.summary),
        ]
        if self.observations:
            lines += ["", "### Observations", ""]
            for observation in self.observations[:MAX_OBSERVATIONS]:
                lines += _rendered(observation)
        if self.suggestions:
            lines += ["", "### Suggestions", ""]
            numbered = enumerate(self.suggestions[:MAX_SUGGESTIONS], 1)
            lines += [f"{number}. {_line(suggestion)}" for number, suggestion in numbered]
        return "\n".join(lines)


def worst(severities: Iterable[Severity]) -> Severity:
    """Return the gravest of the severities, "info" where there is none."""
    return max(severities, key=SEVERITIES.index, default="info")


def render_all(assessments: Iterable[Assessment], generated: datetime) -> str:
    """Return the content of an assessment file: all open findings, one after the other."""
    lines = ["# Trajectory Assessment", "", f"**Generated**: {clock.to_text(generated)}", ""]
    for assessment in assessments:
        lines += [assessment.render(), "", "---", ""]
    return "\n".join(lines)


def fenced(evidence: str) -> list[str]:
    """Return the lines of `evidence`, bounded, in a fence that nothing in it can close."""
    shortened = text.shorten(text.printable(evidence[: _MAX_EVIDENCE * 4]), _MAX_EVIDENCE)
    lines = re.sub("`{21,}", "`" * 20, shortened).split("\n")  # or the fence would be longer than the evidence
    if len(lines) > _MAX_EVIDENCE_LINES:
        left_out = len(lines) - _MAX_EVIDENCE_LINES + 1
        lines = [*lines[: _MAX_EVIDENCE_LINES - 1], f"… {left_out} more lines"]
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *lines, fence]


def code(value: str) -> str:
    """`value` as inline code in a description; back-ticks in it cannot end it."""
    return "`" + text.one_line(text.printable(value)).replace("`", "'") + "`"


def to_row(assessment: Assessment) -> dict[str, Any]:
    """Return the assessment as a JSON object, bounded and redacted."""
    return {
        "observer_name": _bounded(assessment.observer_name, _MAX_NAME),
        "summary": _bounded(assessment.summary, _MAX_LINE),
        "observations": [
            {
                "category": _bounded(observation.category, _MAX_NAME),
                "description": _bounded(observation.description, _MAX_LINE),
                "evidence": None if observation.evidence is None else _bounded(observation.evidence, _MAX_EVIDENCE),
            }
            for observation in assessment.observations[:MAX_OBSERVATIONS]
        ],
        "suggestions": [_bounded(suggestion, _MAX_LINE) for suggestion in assessment.suggestions[:MAX_SUGGESTIONS]],
        "severity": assessment.severity,
        "timestamp": clock.to_text(assessment.timestamp),
        "identity": _bounded(assessment.identity, _MAX_LINE),
        "calls": [int(number) for number in assessment.calls[-MAX_CALLS:]],
        "headline": _bounded(assessment.headline, _MAX_LINE),
    }


def from_row(row: Mapping[str, Any]) -> Assessment:
    """Return the assessment of a row that `to_row` made; raises ValueError, KeyError or TypeError for another."""
    observations = tuple(Observation(**fields) for fields in row["observations"])
    lists = {"suggestions": tuple(row["suggestions"]), "calls": tuple(row.get("calls", ()))}
    known = {**row, **lists, "observations": observations}
    return Assessment(**{**known, "timestamp": clock.from_text(row["timestamp"])})


def _rendered(observation: Observation) -> list[str]:
    lines = [f"#### {_line(observation.category, _MAX_NAME)}", "", _line(observation.description)]
    if observation.evidence:
        lines += ["", *fenced(observation.evidence)]
    return [*lines, ""]


def _line(value: str, limit: int = _MAX_LINE) -> str:
    """One line that begins no block of its own: a heading, a fence or a list needs the line's start."""
    line = text.shorten(text.one_line(text.printable(value[: limit * 4])), limit)
    begins_block = line.startswith("```") or (line[:1] in tuple("#~>-=+*<") and not line.startswith("**"))
    return "\\" + line if begins_block else line


def _bounded(value: str, limit: int) -> str:
    from memoryserver.common.redaction import redact

    return text.shorten(redact(text.printable(value)[: limit * 4]).text, limit)
