"""How quick the pages are at a large size: the 95th percentile of each beside that of a bare page with one COUNT.

    python bench/pages.py [--scale 0.1] [--requests 20]

At scale 1 there are 100,000 entries, a million tool calls and a million observations, copied by Postgres itself from a
few real rows. Goal: at most four times the bare page. `--slow` names the slowest statement of each page above it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench import server
from bench.support import obslog_data

if TYPE_CHECKING:
    from django.test import Client

    from memoryserver.accounts.models import Project, User

ENTRIES, CALLS, OBSERVATIONS = 100_000, 1_000_000, 1_000_000
PER_SESSION = 200
GOAL = 4.0
PAGES = [
    *("/", "/?days=30", "/trajectory/", "/entries/", "/entries/?strategy=read-the-error", "/learnings/"),
    *("/strategies/", "/failures/", "/log/", "/log/?type=task.3", "/operations/", "/capture/"),
]

COPY = "INSERT INTO {table} ({columns}) SELECT {values} FROM {table} AS old, generate_series(1, %s) AS n"


def copies(model: Any, count: int, **changed: str) -> None:
    """Insert `count` copies of each row of `model`, with the SQL in `changed` for the columns that differ."""
    from django.db import connection

    columns = [field.column for field in model._meta.concrete_fields if not field.primary_key]
    values = [changed.get(str(column), f'old."{column}"') for column in columns]
    sql = COPY.format(
        table=model._meta.db_table, columns=", ".join(f'"{column}"' for column in columns), values=", ".join(values)
    )
    with connection.cursor() as cursor:
        cursor.execute(sql.replace("%", "%%").replace("%%s", "%s"), [count])


def fill(user: User, project: Project, scale: float) -> None:
    """Make the rows."""
    from django.db import connection

    from ghap.intake import receive as receive_entries
    from ghap.models import Entry
    from tests.support.ghap_entries import body, falsified
    from tests.support.sent_calls import call, same
    from trajectory.intake import receive as receive_calls
    from trajectory.models import ToolCall, Trajectory

    receive_entries(user, project, [body(), falsified(id="ghap_20261120_150000_a1b2c3")])
    receive_calls(user, project, "s", "", [*[call(n) for n in range(10)], *[same(n) for n in range(10, 20)]])
    earlier = "now() - n * interval '2 minutes'"
    copies(
        Entry, int(ENTRIES * scale / 2), ghap_id="old.ghap_id || n", captured_at=earlier, created_at=earlier,
        embedded_digest="old.content_digest",
    )  # fmt: skip
    times = PER_SESSION // 20
    copies(ToolCall, times - 1, call_id="old.call_id || '-' || n", call_index="old.call_index + 20 * n")
    Trajectory.objects.update(calls_made=PER_SESSION, observed_through=PER_SESSION)
    copies(Trajectory, int(CALLS * scale / PER_SESSION), session_id="'s' || n", last_call_at=earlier)
    columns = [field.column for field in ToolCall._meta.concrete_fields if not field.primary_key]
    own = {"trajectory_id": "t.id", "session_id": "t.session_id"}
    values = ", ".join(own.get(str(column), f'c."{column}"') for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO trajectory_toolcall ({names}) SELECT {values} FROM trajectory_toolcall c "
            "JOIN trajectory_trajectory t ON t.session_id <> c.session_id WHERE c.session_id = 's'"
        )
    obslog_data.load([user] * obslog_data.USERS, int(OBSERVATIONS * scale))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def p95(client: Client, path: str, requests: int) -> float:
    """Return the 95th percentile of the milliseconds that a page takes, after one to warm up."""
    taken = []
    for number in range(requests + 1):
        begun = time.perf_counter()
        response = client.get(path)
        assert response.status_code == 200, (path, response.status_code)
        if number:
            taken.append(1000 * (time.perf_counter() - begun))
    return statistics.quantiles(taken, n=20)[18]


def slowest(client: Client, path: str) -> str:
    """Return the slowest statement of the page, with its milliseconds."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    worst = max(queries.captured_queries, key=lambda query: float(query["time"]))
    return f"{1000 * float(worst['time']):.0f} ms of {len(queries)} statements: {worst['sql'][:300]}"


def main() -> None:
    """Print a row for each page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--requests", type=int, default=20)
    parser.add_argument("--slow", action="store_true")
    args = parser.parse_args()
    with server.running():
        from django.test import Client
        from django.test.utils import override_settings

        from memoryserver.accounts.models import Project, Team, User

        user = User.objects.create_user("alice", is_staff=True)
        team = Team.objects.create(name="crew")
        team.members.add(user)
        project = Project.objects.create(key="github.com/crew/shop", team=team)
        begun = time.perf_counter()
        fill(user, project, args.scale)
        print(f"filled in {time.perf_counter() - begun:.0f} s")
        client = Client()
        client.force_login(user)
        with override_settings(ROOT_URLCONF="bench.support.bare_page", ALLOWED_HOSTS=["testserver"]):
            bare = p95(client, "/bare/", args.requests)
            print(f"{'bare page':40} {bare:8.1f} ms")
            for path in PAGES:
                taken = p95(client, path, args.requests)
                print(f"{path:40} {taken:8.1f} ms {taken / bare:6.1f} x {'' if taken <= GOAL * bare else 'MISSES'}")
                if args.slow and taken > GOAL * bare:
                    print("   ", slowest(client, path))


if __name__ == "__main__":
    main()
