"""The memory of one observer config in one trajectory: its counters, open finding and failures."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memoryserver.common import clock, text
from memoryserver.common.light import dataclass, replace
from trajectory.local.engine import assessment as assessments
from trajectory.local.engine.assessment import SEVERITIES, Assessment, Severity
from trajectory.local.engine.matters import REPEAT_AFTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAX_IDENTITIES = 20
GIVE_UP_AFTER = 3  # failures in a row
_MAX_FAILURE = 200


@dataclass(frozen=True)
class ObserverProgress:
    """The memory of one config; kept apart from all others, so that none starves another."""

    last_assessment_call_index: int = 0
    last_assessment_time: datetime | None = None
    total_assessments: int = 0
    answered_streak: int = 0  # the `streak_from` of the streak that the error trigger has run for
    standing: Assessment | None = None
    told_identity: str = ""
    told_at: int = 0  # call_index; 0 is never
    told_since: int = 0  # the call at which the agent was first notified of the open finding
    told: tuple[tuple[str, Severity, int], ...] = ()  # identity, worst severity, how often: the latest last
    ignore_evidence_before: int = 0  # call_index up to which evidence is ignored, set when a notified finding ends
    reminded: bool = False  # whether what is known elsewhere was looked up for the open finding
    seen_file: bool = False  # whether the file that the trigger waits for is there
    failures: int = 0
    failures_in_a_row: int = 0
    last_failure: str = ""

    @property
    def given_up(self) -> bool:
        """Return whether the observer failed so often in a row that it is left out from here on."""
        return self.failures_in_a_row >= GIVE_UP_AFTER

    def ran(self, call_index: int, moment: datetime, *, answered_streak: int) -> ObserverProgress:
        """Return the memory after a run of the observer that was due, however it ended."""
        return replace(
            self,
            last_assessment_call_index=call_index,
            last_assessment_time=moment,
            answered_streak=answered_streak,
            total_assessments=self.total_assessments + 1,
        )

    def failed(self, reason: str) -> ObserverProgress:
        """Return the memory after the observer raised or took too long; its open finding is dropped."""
        return replace(
            self,
            standing=None,
            failures=self.failures + 1,
            failures_in_a_row=self.failures_in_a_row + 1,
            last_failure=text.shorten(text.one_line(text.printable(reason)), _MAX_FAILURE),
        )

    def after_observing(self, finding: Assessment | None, call_index: int) -> ObserverProgress:
        """Return the memory with `finding` open, or with no open finding.

        When a finding ends of which the agent was notified, evidence up to this call is ignored from then on.
        """
        over = finding is None and self.agent_was_notified()
        goes_on = finding is not None and finding.identity == self.told_identity
        return replace(
            self,
            standing=finding,
            failures_in_a_row=0,
            ignore_evidence_before=call_index if over else self.ignore_evidence_before,
            told_since=self.told_since if goes_on else 0,
            reminded=self.reminded and goes_on,
        )

    def reset(self, call_index: int) -> ObserverProgress:
        """Return the memory without an open finding and without notifications; calls up to `call_index` are spent.

        For when a person has spoken, or the session was silent so long that it counts as ended.
        """
        return replace(
            self,
            standing=None,
            reminded=False,
            told_identity="",
            told_at=0,
            told_since=0,
            told=(),
            ignore_evidence_before=max(self.ignore_evidence_before, call_index),
        )

    def agent_was_notified(self) -> bool:
        """Return whether the agent was notified of the open finding, since it was found."""
        return self.standing is not None and self.told_since > 0 and self.standing.identity == self.told_identity

    def is_news(self, finding: Assessment, call_index: int) -> bool:
        """Return whether to notify the agent: it is new, more severe, or was not repeated for 20 calls.

        "info" is written, never sent.
        """
        before = {identity: severity for identity, severity, _ in self.told}.get(finding.identity)
        if finding.severity == "info":
            return False
        if before is None:
            return True
        worse = SEVERITIES.index(finding.severity) > SEVERITIES.index(before)
        recently = finding.identity == self.told_identity and call_index - self.told_at < REPEAT_AFTER
        return worse or not recently

    def after_notifying(self, finding: Assessment, call_index: int) -> ObserverProgress:
        """Return the memory after the agent was notified of `finding`."""
        times = next((times for identity, _, times in self.told if identity == finding.identity), 0)
        others = [entry for entry in self.told if entry[0] != finding.identity]
        latest = (finding.identity, finding.severity, times + 1)
        return replace(
            self,
            told_identity=finding.identity,
            told_at=call_index,
            told_since=self.told_since if self.agent_was_notified() and self.told_since else call_index,
            told=(*others, latest)[-_MAX_IDENTITIES:],
        )


def to_row(progress: ObserverProgress) -> dict[str, Any]:
    """Return the memory as a JSON object."""
    time, standing = progress.last_assessment_time, progress.standing
    row = dict(vars(progress))
    row["used_up"] = row.pop("ignore_evidence_before")  # the key of the file format
    return row | {
        "last_assessment_time": time and clock.to_text(time),
        "standing": standing and assessments.to_row(standing),
        "told": [list(entry) for entry in progress.told],
    }


def from_row(row: Mapping[str, Any]) -> ObserverProgress:
    """Return the memory of a row that `to_row` made; raises ValueError, KeyError or TypeError for another."""
    time, standing = row.get("last_assessment_time"), row.get("standing")
    fields = dict(row)
    fields.pop("told_severity", None)  # which version 0.1 wrote
    if "used_up" in fields:
        fields["ignore_evidence_before"] = fields.pop("used_up")
    return ObserverProgress(
        **{
            **fields,
            "last_assessment_time": time and clock.from_text(time),
            "standing": standing and assessments.from_row(standing),
            "told": tuple((str(name), severity, int(times)) for name, severity, times in row.get("told", ())),
        }
    )
