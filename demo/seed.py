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
from capture.models import Capture, Learning
from capture.sink import IncomingCapture, IncomingLearning
from demo import calls
from demo.people import DemoTeam
from demo.sayings import LEARNINGS
from demo.stories import SHOP, STORIES, Story
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


def sessions(team: DemoTeam, now: datetime, chance: random.Random) -> None:
    """Add sessions with their calls, their transcripts and what was learned in them; two run now, one of them stuck."""
    remaining = list(LEARNINGS)
    for number in range(SESSIONS):
        begun_at = _working_time(now, chance)
        project = team.projects[chance.choice(list(team.projects))]
        user = chance.choice(list(team.users.values()))
        session_id = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        made = list(calls.calls_of(project.key, begun_at, stuck=chance.random() < 0.3, chance=chance))
        _post(user, project, session_id, made, _title(project, number))
        ended_at = datetime.fromisoformat(made[-1]["timestamp"])
        ending.end(user, session_id, "", ended_at)
        learned = [saying for saying in remaining if saying[0] == project.key][: chance.choice((0, 1, 1, 2))]
        remaining = [saying for saying in remaining if saying not in learned]
        _capture(user, project, session_id, ended_at, learned, messages=chance.randint(12, 90), number=number)
    alice, project = team.users["alice"], team.projects[STORIES[0].project]
    stuck = list(calls.stuck_calls(project.key, now, chance=chance))
    _post(alice, project, str(uuid.UUID(int=1, version=4)), stuck, STORIES[0].goal)
    received_at = ExpressionWrapper(F("captured_at") + timedelta(seconds=40), output_field=DateTimeField())
    Capture.objects.update(received_at=received_at)


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
) -> None:
    context_id = f"claude-code-{session_id}"
    contexts.report(user, [ReportedContext(context_id, "claude-code", project.key, messages, ended_at, ended=ended_at)])
    if not learned:
        return
    incoming = [
        IncomingLearning(
            type=kind,
            content=content,
            confidence=confidence,
            source_message_index=messages - 5,
            time=ended_at - timedelta(minutes=3),
            source="agent" if source == "agent" else "observed" if source == "observed" else "stated",
        )
        for _, kind, content, source, confidence in learned
    ]
    metadata = {"agent_kind": "claude-code", "session_id": session_id, "project": project.key}
    sink.store(
        user,
        project,
        IncomingCapture(uuid.UUID(int=number + 1), context_id, ended_at, (0, messages), 0, incoming, metadata),
    )


def entries(team: DemoTeam, now: datetime, chance: random.Random) -> None:
    """Add the entries: each story once, and most of them again by somebody else at another time."""
    times = int(len(STORIES) * REPEATED)
    for number in range(times):
        story = STORIES[number % len(STORIES)]
        resolved_at = _working_time(now, chance)
        user = chance.choice(list(team.users.values()))
        receive_entries(user, team.projects[story.project], [_body(story, resolved_at, number)])
        _note(user, resolved_at, story)


def _body(story: Story, resolved_at: datetime, number: int) -> dict[str, Any]:
    begun_at = resolved_at - timedelta(minutes=20 + 5 * number % 60)
    body: dict[str, Any] = {
        "id": f"ghap_{begun_at:%Y%m%d_%H%M%S}_{number:06x}",
        "session_id": f"session_{begun_at:%Y%m%d_%H%M%S}_{number:06x}",
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


def _note(user: User, moment: datetime, story: Story) -> None:
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


def uses(chance: random.Random) -> None:
    """Count uses of the learnings, as contexts and searches of six weeks would have."""
    keys = list(Learning.objects.order_by("pk").values_list("pk", flat=True))
    often: dict[usage.Use, int] = {"returned": 60, "opened": 25, "quoted": 9, "shown": 1}
    for use, times in often.items():
        for _ in range(times):
            usage.count(use, chance.sample(keys, k=min(3, len(keys))))


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
