"""Fills an empty server with the demo: six weeks of sessions, entries and learnings, through the apps' services."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import DateTimeField, ExpressionWrapper, F

from capture import contexts, sink
from capture.belief import usage
from capture.contexts import ReportedContext
from capture.deliveries import IncomingCapture, IncomingLearning
from capture.models import Capture, Learning
from demo import calls
from demo.people import DemoTeam
from demo.sayings import LEARNINGS, PROVISIONAL
from demo.stories import SHOP, STORIES, Story
from demo.surroundings import Worked
from ghap.intake import receive as receive_entries
from ghap.models import Failure
from memoryserver.accounts.models import Project, User
from memoryserver.common.ids import uuid7
from obslog import log
from obslog.incoming import NewObservation
from trajectory import ending
from trajectory.intake import About
from trajectory.intake import receive as receive_calls

WEEKS = 6
SESSIONS = 48
REPEATED = 2.2  # how often a story is told, by one or the other, over the weeks
NAMES_OF_FAILURES = {SHOP: "Webhook signatures over a re-serialised body"}
_BEGIN, _END = 9, 18  # hours of a working day


def sessions(team: DemoTeam, now: datetime, chance: random.Random) -> Sequence[Worked]:
    """Add sessions with their calls, their transcripts and what was learned in them; return those that are over.

    One runs now and is stuck; what was learned in it is provisional.
    """
    remaining, worked = list(LEARNINGS), list[Worked]()
    for number in range(SESSIONS):
        begun_at = _working_time(now, chance)
        project = team.projects[chance.choice(list(team.projects))]
        user = chance.choice(list(team.users.values()))
        session_id = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        made = list(calls.calls_of(project.key, begun_at, stuck=chance.random() < 0.3, chance=chance))
        _post(user, project, session_id, made, _title(project, number))
        ended_at = datetime.fromisoformat(made[-1]["timestamp"])
        ending.end(user, session_id, "", ended_at)
        worked.append(Worked(user, project, session_id, begun_at, ended_at))
        learned = [saying for saying in remaining if saying[0] == project.key][: chance.choice((0, 1, 1, 2))]
        remaining = [saying for saying in remaining if saying not in learned]
        _capture(user, project, session_id, ended_at, learned, messages=chance.randint(12, 90), number=number)
    alice, project = team.users["alice"], team.projects[STORIES[0].project]
    stuck = list(calls.stuck_calls(project.key, now, chance=chance))
    running = str(uuid.UUID(int=1, version=4))
    _post(alice, project, running, stuck, STORIES[0].goal)
    _capture(alice, project, running, now, PROVISIONAL, messages=24, number=SESSIONS, ended=False)
    received_at = ExpressionWrapper(F("captured_at") + timedelta(seconds=40), output_field=DateTimeField())
    Capture.objects.update(received_at=received_at)
    return worked


def _post(user: User, project: Project, session_id: str, made: Sequence[dict[str, Any]], title: str) -> None:
    about = About(title, "main")
    for call in made:  # one by one, as an agent's hooks do, so that what observers find is told
        receive_calls(user, project, session_id, "", [call], about=about)


def _title(project: Project, number: int) -> str:
    """Return what a session is about: the goal of one of the project's stories."""
    goals = [story.goal for story in STORIES if story.project == project.key]
    return goals[number % len(goals)] if goals else ""


def _capture(
    user: User,
    project: Project,
    session_id: str,
    ended_at: datetime,
    learned: Sequence[tuple[str, str, str, str, float]],
    *,
    messages: int,
    number: int,
    ended: bool = True,
) -> None:
    context_id = f"claude-code-{session_id}"
    reported = ReportedContext(
        context_id, "claude-code", project.key, messages, ended_at, ended=ended_at if ended else None
    )
    contexts.report(user, [reported])
    if not learned:
        return
    incoming = [_learning(saying, messages, ended_at) for saying in learned]
    metadata = {"agent_kind": "claude-code", "session_id": session_id, "project": project.key, "branch": "main"}
    sink.store(
        user,
        project,
        IncomingCapture(uuid.UUID(int=number + 1), context_id, ended_at, (0, messages), 0, incoming, metadata),
    )


def _learning(saying: tuple[str, str, str, str, float], messages: int, ended_at: datetime) -> IncomingLearning:
    _, kind, content, source, confidence = saying
    return IncomingLearning(
        type=kind,
        content=content,
        confidence=confidence,
        source_message_index=messages - 5,
        time=ended_at - timedelta(minutes=3),
        quote=_quote(content, source),
        source="agent" if source == "agent" else "observed" if source == "observed" else "stated",
    )


def entries(worked: Sequence[Worked], chance: random.Random) -> None:
    """Add the entries, each in one of the sessions `worked`: each story once, and most of them again in another."""
    times = int(len(STORIES) * REPEATED)
    for number in range(times):
        story = STORIES[number % len(STORIES)]
        in_project = [session for session in worked if session.project.key == story.project]
        if not in_project:
            continue
        session = chance.choice(in_project)
        begun_at = session.begun_at + chance.uniform(0, 0.5) * (session.ended_at - session.begun_at)
        resolved_at = begun_at + chance.uniform(0.5, 1) * (session.ended_at - begun_at)
        receive_entries(session.user, session.project, [_body(story, session, begun_at, resolved_at, number)])
        _append_observation(session.user, resolved_at, story)


def _body(story: Story, session: Worked, begun_at: datetime, resolved_at: datetime, number: int) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": f"ghap_{begun_at:%Y%m%d_%H%M%S}_{number:06x}",
        "session_id": f"session_{begun_at:%Y%m%d_%H%M%S}_{number:06x}",
        "agent_session": session.session_id,
        "created_at": _text(begun_at),
        "domain": story.domain,
        "strategy": story.strategy,
        "goal": story.goal,
        "hypothesis": story.hypothesis,
        "action": story.action,
        "prediction": story.prediction,
        "history": [],
        "iteration_count": story.iterations,
        "outcome": {
            "status": story.status,
            "result": story.result,
            "captured_at": _text(resolved_at),
            "auto_captured": bool(story.check),
        },
        "notes": [],
    }
    if story.surprise:
        body["surprise"] = story.surprise
    if story.cause:
        body["root_cause"] = dict(zip(("category", "description"), story.cause, strict=True))
    if story.lesson:
        body["lesson"] = dict(zip(("what_worked", "takeaway"), story.lesson, strict=True))
    if story.check:
        body["check"] = story.check
    return body


def _append_observation(user: User, moment: datetime, story: Story) -> None:
    milliseconds = int(moment.timestamp() * 1000)
    log.append(
        user,
        NewObservation(
            id=uuid7(milliseconds),
            type="task.updated",
            source=f"agent:{user.get_username()}",
            message=f"{story.goal}: {story.status}",
            scope_ids=[story.project],
            created_at=milliseconds,
        ),
    )


def failures(team: DemoTeam, chance: random.Random) -> None:
    """Name the most frequent failure and let people have said something of others; one has come back since."""
    states = (Failure.State.KNOWN, Failure.State.REGRESSED, Failure.State.SOLVED)
    for row, state in zip(Failure.objects.order_by("-size", "pk"), states, strict=False):
        row.name = NAMES_OF_FAILURES.get(row.project.key, "") if row.project and state == states[0] else ""
        row.state, row.state_by = state, None if state == states[1] else chance.choice(list(team.users.values()))
        row.save(update_fields=["name", "state", "state_by"])


def quotes(chance: random.Random) -> None:
    """Count that some of the learnings were said again, as in six weeks they would have been."""
    keys = list(Learning.objects.order_by("pk").values_list("pk", flat=True))
    for _ in range(9):
        usage.count("quoted", chance.sample(keys, k=min(3, len(keys))))


def _quote(content: str, source: str) -> str:
    """Return the lines of the message around what was learned, as the transcript has them."""
    before = {
        "observed": "The command failed at first, and the next one passed.",
        "agent": "That explains what we saw this morning. I store it:",
    }.get(source, "I looked at both of them again, and it is clear now.")
    return f"{before}\n{content}\nI go on with the tests."


def _working_time(now: datetime, chance: random.Random) -> datetime:
    """Return a time on a working day of the last weeks, more often a late one."""
    while True:
        days = int(WEEKS * 7 * chance.random() ** 1.5)
        moment = (now - timedelta(days=days)).replace(
            hour=chance.randint(_BEGIN, _END), minute=chance.randint(0, 59), second=chance.randint(0, 59), microsecond=0
        )
        if moment.weekday() < 5 and moment < now - timedelta(hours=2):
            return moment


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
