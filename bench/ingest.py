"""What a server of one web process and one job worker takes: events a second, and what each of them costs.

    python bench/ingest.py [--events 400] [--clients 4] [--model]

For each kind of event a row: how many a second were acknowledged, and how many were processed to the end (assessed,
embedded, searchable); the milliseconds of processor time an event in the web process, the worker and Postgres; the
bytes that an event takes in the database and in its log (WAL); and the time and the bytes beside those of COPY, which
loads the very rows that came about into empty tables with the same indexes. With --model the vectors are the bundled
model's, else of a service that costs nothing, which leaves the server's own cost.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psycopg
from psycopg import sql

from tests.support.processes.installation import EMBEDDER, Installation
from tests.support.processes.traffic import Agent, Traffic

MODEL = "memoryserver.embedding.sentence_transformer.SentenceTransformerService"
LIMIT = 600.0
_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Kind:
    """A kind of event: who makes its body, how many events a body has, its tables, and what waits to be processed."""

    name: str
    make: Callable[[Agent], tuple[str, dict[str, Any], Any]]
    events: int
    tables: Sequence[str]
    waiting: str


_NOT_EMBEDDED = "SELECT count(*) FROM {} WHERE embedded_digest <> content_digest"
KINDS = [
    Kind(
        "tool calls, three a request",
        Agent.tool_calls,
        3,
        ["trajectory_toolcall"],
        "SELECT count(*) FROM trajectory_trajectory WHERE observed_through <> calls_made",
    ),
    Kind("hook events", Agent.hook, 1, ["trajectory_toolcall"], "SELECT 0"),
    Kind("observations", Agent.observation, 1, ["obslog_observation"], "SELECT 0"),
    Kind("GHAP entries", Agent.entry, 1, ["ghap_entry", "vectors_record"], _NOT_EMBEDDED.format("ghap_entry")),
    Kind(
        "captured learnings",
        Agent.capture,
        1,
        ["capture_capture", "capture_learning", "capture_learningsource", "vectors_record"],
        _NOT_EMBEDDED.format("capture_learning"),
    ),
]


class Meter:
    """Processor seconds by part, and bytes of tables and log."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation

    def processor(self) -> dict[str, float]:
        """Return the seconds that the parts have used so far."""
        postgres = self._installation.postgres.process
        assert postgres is not None
        children = Path(f"/proc/{postgres.pid}/task/{postgres.pid}/children").read_text().split()
        return {
            "web": sum(map(_seconds, self._installation.pids("web 1"))),
            "worker": sum(map(_seconds, self._installation.pids("worker 1"))),
            "postgres": _seconds(postgres.pid, ended=True) + sum(_seconds(int(child)) for child in children),
        }

    def tables(self, names: Sequence[str]) -> int:
        """Return the bytes of the tables with their indexes."""
        return sum(self._number(f"SELECT pg_total_relation_size('{name}')") for name in names)

    def log(self) -> int:
        """Return the bytes that have been written to the database's log."""
        return self._number("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint")

    def _number(self, query: str) -> int:
        return int(str(self._installation.query(query)[0][0]))


def _seconds(pid: int, *, ended: bool = False) -> float:
    """Return the processor time of a process; with `ended` also that of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11 : 15 if ended else 13])) / _TICK


def measure(installation: Installation, kind: Kind, events: int, clients: int) -> dict[str, Any]:
    """Send the events, wait until they are processed, load their rows by COPY, and return the row of the table."""
    traffic = Traffic(installation.addresses, installation.token, agents=0)
    agents = [Agent(5 * number) for number in range(clients)]  # with right clocks
    meter = Meter(installation)
    before, bytes_before, log_before = meter.processor(), _stored(installation, meter, kind), meter.log()
    rows_before = [installation.query(f"SELECT count(*) FROM {table}")[0][0] for table in kind.tables]
    began = time.monotonic()

    def send(agent: Agent) -> None:
        for _ in range(events // kind.events // clients):
            path, body, _rows = kind.make(agent)
            assert traffic.send(f"/api/v1{path}", json.dumps(body).encode()), traffic.refused

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(send, agents))
    acknowledged = time.monotonic() - began
    installation.wait(lambda: installation.query(kind.waiting)[0][0] == 0, kind.name, limit=LIMIT)
    processed = time.monotonic() - began
    after, log_bytes = meter.processor(), meter.log() - log_before
    stored = _stored(installation, meter, kind) - bytes_before
    count = events // kind.events // clients * clients * kind.events
    copied = copy_rows(installation, kind, rows_before, meter)
    return {
        "what": kind.name,
        "events": count,
        "acknowledged_per_second": round(count / acknowledged, 1),
        "processed_per_second": round(count / processed, 1),
        **{f"{part}_ms": round((after[part] - before[part]) * 1000 / count, 2) for part in after},
        "stored_bytes": round(stored / count),
        "log_bytes": round(log_bytes / count),
        "time_beside_copy": round(acknowledged / copied[0], 1),
        "bytes_beside_copy": round(stored / copied[1], 2),
    }


def _stored(installation: Installation, meter: Meter, kind: Kind) -> int:
    partitions = installation.query(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'obslog_observation'::regclass"
    )
    return meter.tables([*kind.tables, *(str(name) for (name,) in partitions if "obslog_observation" in kind.tables)])


def copy_rows(installation: Installation, kind: Kind, skip: Sequence[object], meter: Meter) -> tuple[float, int]:
    """Load the new rows of the kind's tables into empty copies of these; return seconds and bytes."""
    seconds, size = 0.0, 0
    with psycopg.connect(installation.database(), autocommit=True) as connection:
        for table, rows in zip(kind.tables, skip, strict=True):
            name, copy = sql.Identifier(table), sql.Identifier(f"copy_of_{table}")
            connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(copy))
            connection.execute(sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING ALL)").format(copy, name))
            empty = meter.tables([f"copy_of_{table}"])
            columns = sql.SQL(", ").join(sql.Identifier(column) for column in written_columns(connection, table))
            select = sql.SQL("COPY (SELECT {} FROM {} ORDER BY id OFFSET {}) TO STDOUT")
            data = bytearray()
            with connection.cursor().copy(select.format(columns, name, int(str(rows)))) as out:
                for block in out:
                    data += block
            began = time.monotonic()
            with connection.cursor().copy(sql.SQL("COPY {} ({}) FROM STDIN").format(copy, columns)) as into:
                into.write(data)
            seconds += time.monotonic() - began
            size += meter.tables([f"copy_of_{table}"]) - empty
    return seconds, max(size, 1)


def written_columns(connection: psycopg.Connection[Any], table: str) -> list[str]:
    """Return the columns of the table that are not generated."""
    query = (
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND attgenerated = '' "
        "AND NOT attisdropped ORDER BY attnum"
    )
    return [str(name) for (name,) in connection.execute(query, [table]).fetchall()]


def main() -> None:
    """Measure each kind and print a table and a JSON line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=400, help="of each kind")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--model", action="store_true", help="embed by the bundled model")
    given = parser.parse_args()
    settings = {
        "MEMORYSERVER_REQUESTS_PER_MINUTE": "0",
        "MEMORYSERVER_EMBEDDING_SERVICE": MODEL if given.model else EMBEDDER,
    }
    rows = []
    with (
        tempfile.TemporaryDirectory(prefix="ingest-") as folder,
        Installation(Path(folder), webs=1, workers=1, settings=settings) as installation,
    ):
        for kind in KINDS:
            measure(installation, kind, 8 * given.clients * kind.events, given.clients)  # the first ones load code
            row = measure(installation, kind, given.events, given.clients)
            print("  ".join(f"{name} {value}" for name, value in row.items()), flush=True)
            rows.append(row)
    print(json.dumps({"bench": "ingest", "model": given.model, "rows": rows}))


if __name__ == "__main__":
    main()
