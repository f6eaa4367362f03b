"""A large server for `bench/pages.py`: a few real rows, which Postgres itself copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.support import obslog_data

if TYPE_CHECKING:
    from memoryserver.accounts.models import Project, User

ENTRIES, CALLS, OBSERVATIONS = 100_000, 1_000_000, 1_000_000
LEARNINGS, FAILURES = 20_000, 300
PER_SESSION = 200
MEMBERS = 10  # entries of a failure

COPY = "INSERT INTO {table} ({columns}) SELECT {values} FROM {table} AS old, generate_series(1, %s) AS n"
EARLIER = "now() - n * interval '2 minutes'"


def fill(scale: float) -> tuple[User, dict[str, int]]:
    """Make the rows of a team; return its member, an administrator, and the key of a row of each kind."""
    from django.db import connection

    from capture.models import Learning
    from ghap.models import Entry, Failure
    from memoryserver.accounts.models import Project, Team, User
    from trajectory.models import Trajectory

    user = User.objects.create_user("alice", is_staff=True)
    team = Team.objects.create(name="crew")
    team.members.add(user)
    project = Project.objects.create(key="github.com/crew/shop", team=team)
    _entries(user, project, scale)
    _calls(user, project, scale)
    _learnings(user, project, scale)
    _failures(user, project, scale)
    obslog_data.load([user] * obslog_data.USERS, int(OBSERVATIONS * scale))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    kinds: dict[str, Any] = {"entry": Entry, "session": Trajectory, "learning": Learning, "failure": Failure}
    return user, {name: kind.objects.order_by("pk")[0].pk for name, kind in kinds.items()}


def _copies(model: Any, count: int, **changed: str) -> None:
    """Insert `count` copies of each row of `model`, with the SQL in `changed` for the columns that differ."""
    from django.db import connection

    columns = [field.column for field in model._meta.concrete_fields if not field.primary_key]
    values = [changed.get(str(column), f'old."{column}"') for column in columns]
    sql = COPY.format(
        table=model._meta.db_table, columns=", ".join(f'"{column}"' for column in columns), values=", ".join(values)
    )
    with connection.cursor() as cursor:
        cursor.execute(sql.replace("%", "%%").replace("%%s", "%s"), [count])


def _copies_for(model: Any, join: str, **changed: str) -> None:
    """Insert a copy of each row of `model`, which is `old`, for each row that the SQL in `join` joins with it."""
    from django.db import connection

    columns = [field.column for field in model._meta.concrete_fields if not field.primary_key]
    values = ", ".join(changed.get(str(column), f'old."{column}"') for column in columns)
    names, table = ", ".join(f'"{column}"' for column in columns), model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({names}) SELECT {values} FROM {table} AS old {join}")


def _entries(user: User, project: Project, scale: float) -> None:
    from ghap.intake import receive
    from ghap.models import Entry
    from tests.support.rows.ghap_entries import body, falsified

    receive(user, project, [body(), falsified(id="ghap_20261120_150000_a1b2c3")])
    _copies(
        Entry,
        int(ENTRIES * scale / 2),
        ghap_id="old.ghap_id || n",
        captured_at=EARLIER,
        created_at=EARLIER,
        embedded_digest="old.content_digest",
    )


def _calls(user: User, project: Project, scale: float) -> None:
    from tests.support.rows.sent_calls import call, same
    from trajectory.intake import receive
    from trajectory.models import ToolCall, Trajectory

    receive(user, project, "s", "", [*[call(n) for n in range(10)], *[same(n) for n in range(10, 20)]])
    _copies(ToolCall, PER_SESSION // 20 - 1, call_id="old.call_id || '-' || n", call_index="old.call_index + 20 * n")
    Trajectory.objects.update(calls_made=PER_SESSION, observed_through=PER_SESSION)
    _copies(Trajectory, int(CALLS * scale / PER_SESSION), session_id="'s' || n", last_call_at=EARLIER)
    others = "JOIN trajectory_trajectory t ON t.session_id <> old.session_id"
    _copies_for(ToolCall, others, trajectory_id="t.id", session_id="t.session_id")


def _learnings(user: User, project: Project, scale: float) -> None:
    """Make learnings of all types and sources, each with a source in a transcript, and half of them used."""
    from django.db import connection
    from django.utils import timezone

    from capture.belief.rules import TYPE_WEIGHTS
    from capture.models import Learning

    now = timezone.now()
    for number, kind in enumerate(TYPE_WEIGHTS):
        Learning.objects.create(
            user=user, project=project, type=kind, source=Learning.Source.values[number % 3], confidence=0.9,
            content=f"{kind}: the importer reads files in blocks.", first_seen=now, last_seen=now,
            content_digest=f"{kind}-0", embedded_digest=f"{kind}-0",
        )  # fmt: skip
    count = int(LEARNINGS * scale / len(TYPE_WEIGHTS))
    digest = "old.content_digest || '-' || n"
    _copies(
        Learning, count, content="old.content || n", content_digest=digest, embedded_digest=digest,
        first_seen=EARLIER, last_seen=EARLIER,
    )  # fmt: skip
    _sources(user, project, count)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO capture_learningusage (learning_id, shown, returned, opened, quoted, followed, contradicted) "
            "SELECT id, 3, 2, 1, 0, 0, 0 FROM capture_learning WHERE id % 2 = 0"
        )


def _sources(user: User, project: Project, count: int) -> None:
    """Make `count` sessions; each has taught one learning of each type, and only the first still runs."""
    from django.utils import timezone

    from capture.models import Capture, CaptureState, Learning, LearningSource

    now = timezone.now()
    state = CaptureState.objects.create(
        user=user, project=project, context_id="c", last_activity_at=now, message_count=9, learnings_delivered=1
    )
    capture = Capture.objects.create(
        state=state, capture_id="00000000-0000-4000-8000-000000000001", captured_at=now, first_message_index=0,
        last_message_index=9, compaction_number=0,
    )  # fmt: skip
    LearningSource.objects.create(
        learning=Learning.objects.earliest("pk"), capture=capture, message_uuid="m", message_index=1
    )
    _copies(CaptureState, count, context_id="'c' || n", last_activity_at=EARLIER)
    _copies_for(
        Capture, "JOIN capture_capturestate new ON new.id <> old.state_id",
        state_id="new.id", capture_id="gen_random_uuid()", captured_at="new.last_activity_at",
    )  # fmt: skip
    captures = "(SELECT id, row_number() OVER (ORDER BY id) - 1 AS n, count(*) OVER () AS whole FROM capture_capture)"
    _copies_for(
        LearningSource,
        f"JOIN capture_learning l ON l.id <> old.learning_id JOIN {captures} c ON c.n = mod(l.id, c.whole)",
        learning_id="l.id", capture_id="c.id",
    )  # fmt: skip


def _failures(user: User, project: Project, scale: float) -> None:
    """Make failures of MEMBERS of the latest falsified entries each."""
    from django.utils import timezone

    from ghap.models import Entry, Failure, FailureMember

    now, count = timezone.now(), max(int(FAILURES * scale), 1)
    entries = list(Entry.objects.filter(outcome_status="falsified").order_by("-captured_at")[: count * MEMBERS])
    failures = Failure.objects.bulk_create(
        Failure(
            user=user, project=project, name=f"failure {number}", size=MEMBERS, weight=1.0, first_seen=now,
            last_seen=now, example=entries[number * MEMBERS],
        )
        for number in range(count)
    )  # fmt: skip
    FailureMember.objects.bulk_create(
        FailureMember(failure=failures[number // MEMBERS], entry=entry, rank=number % MEMBERS + 1)
        for number, entry in enumerate(entries)
    )
