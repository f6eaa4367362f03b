"""What else a server of six weeks has: laptops, files that failed, entries that are open, and what was asked."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from capture import failures
from capture.models import CaptureFailure, Learning
from demo.people import DemoTeam
from demo.stories import ETL, FRONT
from ghap.unresolved import open_entries
from memoryserver import __version__
from memoryserver.access.models import Laptop
from memoryserver.accounts.models import Project, User
from memoryserver.inquiries import documents as counters
from memoryserver.inquiries.models import Inquiry

INQUIRIES = 260

Known = dict[int, list[tuple[int, datetime]]]
"""Learnings of each project, by its primary key: their primary keys, and when each was first seen."""


@dataclass(frozen=True)
class Worked:
    """A session that is over: whose it was, where and when."""

    user: User
    project: Project
    session_id: str
    begun_at: datetime
    ended_at: datetime


# The person, the laptop's name, its version, hours since it was seen, files that wait and that failed, whether capture
# runs. "dev" is a version that the server cannot compare, so that it counts as too old.
LAPTOPS = (
    ("alice", "alice-thinkpad", __version__, 0.1, 0, 0, True),
    ("bob", "bob-macbook", __version__, 0.4, 3, 1, True),
    ("carol", "carol-xps", "dev", 5.0, 12, 0, True),
    ("carol", "carol-tower", __version__, 1.5, 0, 0, False),
    ("dan", "dan-framework", __version__, 24.0 * 16, 41, 0, True),
)
QUESTIONS = (
    *("webhook signature", "raw body", "import is slow", "psql role etl does not exist", "price flicker"),
    *("pnpm lock file", "playwright stripe mock", "direnv PGOPTIONS", "rounding of cart totals", "UTC in jobs"),
)
# The person, the project, minutes since it began, domain, strategy, goal, hypothesis, action and prediction.
OPEN = (
    (
        *("bob", ETL, 35, "debugging", "systematic-elimination"),
        *("Find out why the Sunday import loads 0 rows", "The supplier writes the file after midnight"),
        *("Compare the file's time with that of the job on three Sundays", "The file is younger on each of them"),
    ),
    (
        *("dan", FRONT, 140, "performance", "divide-and-conquer"),
        *("Open the checkout in half a second", "The map of parcel shops loads before it is needed"),
        *("Block its script in the browser and measure ten times", "The median falls below 500 ms"),
    ),
)


def laptops(team: DemoTeam, now: datetime) -> None:
    """Add the laptops: one is silent, one too old, one has much to send."""
    for number, (name, laptop, version, hours, waiting, failed, runs) in enumerate(LAPTOPS):
        Laptop.objects.create(
            user=team.users[name],
            client_id=str(uuid.UUID(int=number + 1)),
            name=laptop,
            version=version,
            waiting=waiting,
            failed=failed,
            capture_runs=runs,
            seen_at=now - timedelta(hours=hours),
        )


def failed_files(team: DemoTeam, now: datetime) -> None:
    """Add a file that was refused twice and waits for its owner, and one that was stored at the second attempt."""
    for name, number, reason, attempts in (
        ("bob", 901, "learnings.3.content: must have at most 4000 characters", 2),
        ("carol", 902, "context_id: must not be empty", 1),
    ):
        capture_id = str(uuid.UUID(int=number))
        for _ in range(attempts):
            failures.record(
                team.users[name], capture_id=capture_id, context_id=f"claude-code-{capture_id}", reason=reason
            )
        CaptureFailure.objects.filter(capture_id=capture_id).update(failed_at=now - timedelta(hours=20))
    failures.resolve(team.users["carol"], str(uuid.UUID(int=902)))


def unresolved(team: DemoTeam, now: datetime) -> None:
    """Add the entries that agents work on."""
    for number, (name, key, minutes, domain, strategy, goal, hypothesis, action, prediction) in enumerate(OPEN):
        begun_at = now - timedelta(minutes=minutes)
        body = {
            "id": f"ghap_{begun_at:%Y%m%d_%H%M%S}_{0xF00 + number:06x}",
            "session_id": f"session_{begun_at:%Y%m%d_%H%M%S}_{0xF00 + number:06x}",
            "created_at": begun_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "domain": domain,
            "strategy": strategy,
            "goal": goal,
            "hypothesis": hypothesis,
            "action": action,
            "prediction": prediction,
            "history": [],
            "iteration_count": 1,
            "notes": [],
        }
        open_entries.receive(team.users[name], team.projects[key], [body])


def inquiries(worked: Sequence[Worked], now: datetime, chance: random.Random) -> None:
    """Add what was asked in the sessions, and count what the answers had."""
    learnings: Known = {}
    for key, project, first_seen in Learning.objects.order_by("pk").values_list("pk", "project", "first_seen"):
        learnings.setdefault(project or 0, []).append((key, first_seen))
    kinds = [Inquiry.Kind.SEARCH] * 5 + [Inquiry.Kind.CONTEXT] * 3 + [Inquiry.Kind.OPEN] * 2
    made = [_inquiry(chance.choice(worked), chance.choice(kinds), learnings, chance) for _ in range(INQUIRIES)]
    times = {id(row): row.asked_at for row in made}
    for row in Inquiry.objects.bulk_create(made):  # bulk_create sets the time of now
        row.asked_at = min(times[id(row)], now)
    Inquiry.objects.bulk_update(made, ["asked_at"])
    for row in sorted(made, key=lambda row: row.asked_at):
        counters.count(Inquiry.Kind(row.kind), row.documents, row.asked_at.date())


def _inquiry(session: Worked, kind: Inquiry.Kind, learnings: Known, chance: random.Random) -> Inquiry:
    known = [key for key, first_seen in learnings.get(session.project.pk, []) if first_seen < session.begun_at]
    most = {Inquiry.Kind.SEARCH: 4, Inquiry.Kind.CONTEXT: 6}.get(kind, 1)
    documents = [f"learnings/{key}" for key in chance.sample(known, k=min(chance.randint(1, most), len(known)))]
    words = {Inquiry.Kind.SEARCH: chance.choice(QUESTIONS), Inquiry.Kind.OPEN: " ".join(documents)}.get(kind, "")
    seconds = 5.0 if kind == Inquiry.Kind.CONTEXT else chance.uniform(30, 1500)
    is_page = kind == Inquiry.Kind.SEARCH and chance.random() < 0.25
    return Inquiry(
        user=session.user,
        project=session.project,
        kind=kind,
        way=Inquiry.Way.PAGE if is_page else Inquiry.Way.AGENT,
        words=words,
        found=len(documents),
        documents=documents,
        agent_session="" if is_page else session.session_id,
        asked_at=session.begun_at + timedelta(seconds=seconds),
    )
