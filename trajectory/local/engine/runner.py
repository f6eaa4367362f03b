"""Runs the observers after a tool call, and keeps the open findings in the assessment file.

An observer runs when its trigger is met, by its own counters, and its `should_run` says yes. What it finds
remains open until its pattern breaks: while a finding is open of which the agent was notified, it looks again at
every call; one that is only written down is looked at when its observer is next due. An observer that raises
or takes too long is counted and passed over; after three failures in a row it is left out.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from datetime import datetime

from memoryserver.common import clock, text
from memoryserver.common.digest import digest
from memoryserver.common.light import dataclass, replace
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine import assessment as assessments
from trajectory.local.engine import context_section, notifications, turns
from trajectory.local.engine.assessment import Assessment
from trajectory.local.engine.context import Filesystem, ObserverContext
from trajectory.local.engine.progress import ObserverProgress
from trajectory.local.engine.session import ObserverState, RecordToolCall, Session
from trajectory.local.engine.time_limit import Budget
from trajectory.local.engine.triggers import ObserverConfig, Prompt, keyed


def after_tool_call(
    call: ToolCallRecord,
    *,
    session: Session,
    prompt: Prompt,
    filesystem: Filesystem,
    now: datetime | None = None,
) -> tuple[Assessment, ...]:
    """Record `call` in `session` and run the prompt's observers; returns what the agent should be notified of now.

    `now` is the time to count by, the present by default. Never raises for what an observer or the
    filesystem does.
    """
    session.dispatch(RecordToolCall(call))
    return run_observers(session, prompt.observers, filesystem, now=now)


def run_observers(
    session: Session,
    configs: Sequence[ObserverConfig],
    filesystem: Filesystem,
    *,
    now: datetime | None = None,
    in_answer: bool = True,
) -> tuple[Assessment, ...]:
    """Run the observers that are due after the session's latest call; returns what the agent is to be notified of now.

    The caller puts `context_section.context_for` of the result into its answer to the agent. Where there is no
    answer, as for a call of the past, `in_answer` is False: nothing is returned, and nothing counts as said.
    """
    call = session[ToolCallRecord].latest()
    if call is None:
        return ()
    moment = now or clock.now()
    session.started = session.started or moment
    turns.reset_at_turn(session, configs, call)
    news: dict[str, Assessment] = {}
    ran = False
    for key, config in keyed(configs):
        before = session.progress.get(key, ObserverProgress())
        after = _ObserverRun(config, before, session, call, moment).result(filesystem)
        ran = ran or after.total_assessments > before.total_assessments
        session.progress[key] = after
        if in_answer and config.tell and after.standing and notifications.is_news(session, key):
            news[key] = after.standing
    message = context_section.fitting(list(news.values()))
    notifications.record(session, call, {key: finding for key, finding in news.items() if finding in message})
    notifications.follow(session, call)
    _count(session, call, moment if ran else None)
    _write_standing(session, configs, filesystem, moment)
    return message


@dataclass(frozen=True)
class _ObserverRun:
    """One observer's run after one call."""

    config: ObserverConfig
    before: ObserverProgress
    session: Session
    call: ToolCallRecord
    moment: datetime

    def result(self, filesystem: Filesystem) -> ObserverProgress:
        """Return the observer's memory after its run."""
        before = self._file_seen(filesystem)
        due = self._is_due(appeared=before.seen_file and not self.before.seen_file)
        watched = before.standing is not None and (self.config.tell or self.config.trigger.while_told)
        if before.given_up or not (due or watched):
            return before
        context = ObserverContext(
            self.session,
            filesystem,
            self._own_state(),
            self.moment,
            due=due,
            ignore_evidence_before=self._ignore_evidence_before(),
        )
        try:
            with Budget():
                due = due and self.config.observer.should_run(self.session, context=context)
                if not (due or watched):
                    return before
                assessment = self.config.observer.observe(self.session, context=context)
                assessment = _bounded(assessment)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever an observer does, the call goes on
            return self._counted(before.failed(f"{type(error).__name__}: {error}"), due)
        return self._counted(before.after_observing(self._standing(assessment), self.call.call_index), due)

    def _is_due(self, *, appeared: bool) -> bool:
        started = self.session.started or self.moment
        trigger = self.config.trigger
        follows_notification = trigger.while_told and any(
            memory.agent_was_notified() for memory in self.session.progress.values()
        )
        return appeared or follows_notification or trigger.is_met(self.before, self.call, started, self.moment)

    def _file_seen(self, filesystem: Filesystem) -> ObserverProgress:
        """Return the memory with whether the file that the trigger waits for is there now."""
        path = self.config.trigger.file_created
        return self.before if path is None else replace(self.before, seen_file=_exists(path, filesystem))

    def _ignore_evidence_before(self) -> int:
        notified = self.before.agent_was_notified()
        return (
            self.before.ignore_evidence_before
            if notified
            else max(self.before.ignore_evidence_before, self.session.notifications.at)
        )

    def _own_state(self) -> ObserverState:
        return ObserverState(
            tool_calls_since_assessment=self.call.call_index - self.before.last_assessment_call_index,
            last_assessment_time=self.before.last_assessment_time,
            last_assessment_call_index=self.before.last_assessment_call_index,
            total_assessments=self.before.total_assessments,
        )

    def _standing(self, assessment: Assessment) -> Assessment | None:
        """Return the open finding; the previous one where only the time differs."""
        if not assessment.says_something:
            return None
        standing = self.before.standing
        unchanged = standing and replace(assessment, timestamp=standing.timestamp) == standing
        return standing if unchanged else assessment

    def _counted(self, progress: ObserverProgress, due: bool) -> ObserverProgress:
        if not due:
            return progress
        reached = self.config.trigger.errors_reached(self.call)
        answered = self.call.streak_from if reached else self.before.answered_streak
        return progress.ran(self.call.call_index, self.moment, answered_streak=answered)


def _bounded(assessment: Assessment) -> Assessment:
    """Return the finding bounded and redacted, as it is stored; one that cannot be stored is the observer's failure."""
    if isinstance(assessment, Assessment) and not assessment.says_something and isinstance(assessment.summary, str):
        return assessment  # it is not stored
    return assessments.from_row(assessments.to_row(assessment))


def _exists(path: str, filesystem: Filesystem) -> bool:
    try:
        return filesystem.exists(path)
    except OSError:
        return False  # what cannot be looked at is not there yet


def withdraw(session: Session, filesystem: Filesystem) -> None:
    """Empty the assessment files that hold what this session wrote; raises what the filesystem raises."""
    for path in session.written:
        if _is_ours(path, session, filesystem):
            filesystem.write_text(path, "")


def _count(session: Session, call: ToolCallRecord, assessed: datetime | None) -> None:
    """Bring the session-wide totals up to `call`."""
    state = session[ObserverState].latest() or ObserverState()
    if assessed is None:
        since = call.call_index - state.last_assessment_call_index
        session[ObserverState].seed(replace(state, tool_calls_since_assessment=since))
    else:
        session[ObserverState].seed(ObserverState(0, assessed, call.call_index, state.total_assessments + 1))


def _write_standing(
    session: Session, configs: Sequence[ObserverConfig], filesystem: Filesystem, moment: datetime
) -> None:
    """Write the open findings to each output file; a file that is up to date is not touched."""
    findings: dict[str, list[Assessment]] = {config.output_path: [] for config in configs}
    findings |= {path: [] for path in session.written if path not in findings}  # the session's findings have moved
    for key, config in keyed(configs):
        standing = session.progress[key].standing
        if standing:
            findings[config.output_path].append(standing)
    session.write_failure = ""
    for path, standing_here in findings.items():
        content = assessments.render_all(standing_here, moment) if standing_here else ""
        digest = digest_of(content) if content else ""
        try:
            if digest == session.written.get(path, "") and (not content or filesystem.exists(path)):
                continue
            if content or _is_ours(path, session, filesystem):
                _write(path, content, filesystem)
        except Exception as error:  # noqa: BLE001 - a full disk must not break the agent's call; shown instead
            session.write_failure = text.shorten(text.one_line(text.printable(f"{path}: {error}")), 300)
        else:
            session.written[path] = digest


def _write(path: str, content: str, filesystem: Filesystem) -> None:
    parent = posixpath.dirname(path)
    if parent and not filesystem.exists(parent):
        filesystem.mkdir(parent, parents=True)
    filesystem.write_text(path, content)


def _is_ours(path: str, session: Session, filesystem: Filesystem) -> bool:
    """Return whether the file still holds what this session wrote: a recovery must not erase another's warning."""
    return filesystem.exists(path) and digest_of(filesystem.read_text(path)) == session.written.get(path)


def digest_of(content: str) -> str:
    """Return a digest of all but the line with the time of writing, so that equal findings are equal.

    `Session.written` has it of what was written to each assessment file.
    """
    lines = [line for line in content.split("\n") if not line.startswith("**Generated**")]
    return digest("\n".join(lines).encode("utf-8", "replace"), 16)
