"""What a search costs, on the clock and of a processor, beside the bare statements that it could send."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

_NO_LIMIT = 10**9


@dataclass(frozen=True)
class Cost:
    """Milliseconds on the clock, and of a processor; 0 where the system does not tell these."""

    ms: float
    processor_ms: float

    @classmethod
    def of(cls, call: Callable[[], object], session: int) -> Cost:
        """That of `call`, which uses the session of Postgres with this process id."""
        clock, processor = time.perf_counter(), _processor_ms(session)
        call()
        return cls((time.perf_counter() - clock) * 1000, _processor_ms(session) - processor)


def _processor_ms(session: int) -> float:
    try:
        of_session = int(Path(f"/proc/{session}/schedstat").read_text().split()[0])
    except FileNotFoundError:
        return 0
    return (time.thread_time_ns() + of_session) / 1e6


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(statistics.median(cost.ms for cost in costs), statistics.median(cost.processor_ms for cost in costs))


def in_turns(owner: Any, asked: Sequence[str], *, exactly: int) -> tuple[Cost, Cost, str]:
    """The service and the faster of the bare statements, medians over all questions, and the phases of the service.

    The statement that ranks exactly is measured for so many of the questions as `exactly` says.
    """
    import psycopg
    from django.db import connection

    from memoryserver.search.service import Search, search

    calls = [partial(search, owner, Search(words)) for words in asked]
    planned = [_statement_of(call) for call in calls]
    with _exactly():
        exact = [_statement_of(call) for call in calls[:exactly]]
    with connection.cursor() as cursor:
        own_session = cursor.connection.info.backend_pid
    with psycopg.connect(**_parameters(connection), cursor_factory=psycopg.ClientCursor, autocommit=True) as bare:
        session = bare.info.backend_pid
        times: dict[str, list[Cost]] = {"service": [], "own": [], "exact": []}
        for call, *statements in zip_longest(calls, planned, exact):
            _run(bare, statements[0])  # brings into memory what either reads
            times["service"].append(Cost.of(call, own_session))
            for name, statement in zip(("own", "exact"), statements, strict=True):
                if statement:
                    times[name].append(Cost.of(partial(_run, bare, statement), session))
    service, own, whole = map(_median, times.values())
    return service, min(own, whole, key=lambda cost: cost.ms), phases_of([call().timing for call in calls[:10]])


def phases_of(timings: Sequence[Mapping[str, float]]) -> str:
    """The median of each phase in the searches that have it, as Server-Timing has them, in milliseconds."""
    names = dict.fromkeys(name for timing in timings for name in timing)
    medians = {name: statistics.median(timing[name] for timing in timings if name in timing) for name in names}
    return ", ".join(f"{name} {median:.1f}" for name, median in medians.items())


@contextmanager
def _exactly() -> Iterator[None]:
    """Within it all is ranked exactly."""
    from memoryserver.search import engine, plan

    before = engine.EXACT_UP_TO, plan.COUNT_UP_TO
    engine.EXACT_UP_TO, plan.COUNT_UP_TO = _NO_LIMIT, _NO_LIMIT
    yield
    engine.EXACT_UP_TO, plan.COUNT_UP_TO = before


def _statement_of(call: Callable[[], object]) -> list[str]:
    """The SQL that ranks, as it is sent, with what is set for it."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        call()
    return [
        query["sql"]
        for query in captured.captured_queries
        if query["sql"].lstrip().startswith(("SELECT set_config", "WITH scope"))
    ]


def _run(bare: Any, statements: Sequence[str]) -> None:
    for statement in statements:
        cursor = bare.execute(statement)
        while cursor.nextset():  # the settings of the statement have a result too
            pass
        cursor.fetchall()


def _parameters(connection: Any) -> dict[str, Any]:
    known = connection.get_connection_params()
    return {name: known[name] for name in ("dbname", "user", "host") if name in known}
