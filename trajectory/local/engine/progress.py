"""What is remembered of one observer config in one trajectory: its own counters, finding and failures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from memoryserver.common import clock, text
from memoryserver.common.light import dataclass, replace
from trajectory.local.engine import assessment as assessments
from trajectory.local.engine.assessment import SEVERITIES, Assessment, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TELL_AGAIN_AFTER = 20  # calls
LONGEST_PAUSE = 80
MAX_TOLD = 3  # times that one finding is told at the same severity
_MAX_IDENTITIES = 20
GIVE_UP_AFTER = 3  # failures in a row
_MAX_FAILURE = 200


@dataclass(frozen=True)
class Telling:
    """When the agent was last told something in this turn, by whatever observer, and how often it was.

    The pause doubles with each message, from 20 to 80 calls: what has to be said again and again is not heeded, and
    then concerns the operator. What is worse than the last message waits for nothing.
    """

    at: int = 0  # call_index; 0 is never
    times: int = 0
    severity: Severity = "info"
    turn: str = ""

    def allows(self, finding: Assessment, call_index: int, turn: str) -> bool:
        """Return whether `finding`, which is news of its observer, may be told now."""
        if not self.at or turn != self.turn or SEVERITIES.index(finding.severity) > SEVERITIES.index(self.severity):
            return True
        pause: int = min(TELL_AGAIN_AFTER << min(self.times - 1, 9), LONGEST_PAUSE)
        return call_index - self.at >= pause

    def after(self, news: Iterable[Assessment], call_index: int, turn: str) -> Telling:
        """Return what is remembered after `news` were told."""
        times = self.times + 1 if turn == self.turn else 1
        return Telling(call_index, times, assessments.worst(one.severity for one in news), turn)


@dataclass(frozen=True)
class ObserverProgress:
    """The memory of one config; kept apart from all others, so that none starves another."""

    last_assessment_call_index: int = 0
    last_assessment_time: datetime | None = None
    total_assessments: int = 0
    answered_streak: int = 0  # the `streak_from` of the streak that the error trigger has run for
    standing: Assessment | None = None
    told_identity: str = ""
    told_severity: Severity = "info"
    told_at: int = 0  # call_index; 0 is never
    told_since: int = 0  # the call at which the agent was first told of what stands
    told: tuple[tuple[str, Severity, int], ...] = ()  # identity, worst severity, how often: the latest last
    used_up: int = 0  # the call after which evidence counts again, once a finding that was told of is over
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
        """Return the memory after the observer raised or took too long; what stood from it stands no more."""
        return replace(
            self,
            standing=None,
            failures=self.failures + 1,
            failures_in_a_row=self.failures_in_a_row + 1,
            last_failure=text.shorten(text.one_line(text.printable(reason)), _MAX_FAILURE),
        )

    def found(self, finding: Assessment | None, call_index: int) -> ObserverProgress:
        """Return the memory with `finding` standing, or with nothing standing.

        Where one that was told of is over, the calls up to now are used up: it takes new ones to find it again.
        """
        over = finding is None and self.standing_is_told()
        return replace(
            self,
            standing=finding,
            failures_in_a_row=0,
            used_up=call_index if over else self.used_up,
            told_since=self.told_since if finding and finding.identity == self.told_identity else 0,
        )

    def standing_is_told(self) -> bool:
        """Return whether the agent was told of what stands."""
        return self.standing is not None and self.told_at > 0 and self.standing.identity == self.told_identity

    def is_news(self, finding: Assessment, call_index: int) -> bool:
        """Return whether the agent should be told: it was not yet, it got worse, or twenty calls have passed.

        "info" is written, never told. One finding is told three times; after that only if it gets worse.
        """
        before = {identity: (severity, times) for identity, severity, times in self.told}.get(finding.identity)
        if finding.severity == "info":
            return False
        if before is None:
            return True
        worse = SEVERITIES.index(finding.severity) > SEVERITIES.index(before[0])
        recently = finding.identity == self.told_identity and call_index - self.told_at < TELL_AGAIN_AFTER
        return worse or (before[1] < MAX_TOLD and not recently)

    def after_telling(self, finding: Assessment, call_index: int) -> ObserverProgress:
        """Return the memory after the agent was told of `finding`."""
        times = next((times for identity, _, times in self.told if identity == finding.identity), 0)
        others = [one for one in self.told if one[0] != finding.identity]
        latest = (finding.identity, finding.severity, times + 1)
        return replace(
            self,
            told_identity=finding.identity,
            told_severity=finding.severity,
            told_at=call_index,
            told_since=self.told_since if self.standing_is_told() and self.told_since else call_index,
            told=(*others, latest)[-_MAX_IDENTITIES:],
        )


def to_row(progress: ObserverProgress) -> dict[str, Any]:
    """Return the memory as a JSON object."""
    time, standing = progress.last_assessment_time, progress.standing
    return dict(vars(progress)) | {
        "last_assessment_time": time and clock.to_text(time),
        "standing": standing and assessments.to_row(standing),
        "told": [list(one) for one in progress.told],
    }


def from_row(row: Mapping[str, Any]) -> ObserverProgress:
    """Return the memory of a row that `to_row` made; raises ValueError, KeyError or TypeError for another."""
    time, standing = row.get("last_assessment_time"), row.get("standing")
    return ObserverProgress(
        **{
            **row,
            "last_assessment_time": time and clock.from_text(time),
            "standing": standing and assessments.from_row(standing),
            "told": tuple((str(name), severity, int(times)) for name, severity, times in row.get("told", ())),
        }
    )
