"""The tool calls of the demo's sessions: reading, editing, running the tests, and now and then being stuck."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from demo.stories import ETL, FRONT, SHOP

Call = dict[str, Any]

FILES: Mapping[str, tuple[str, ...]] = {
    SHOP: ("shop/cart.py", "shop/orders.py", "shop/webhooks.py", "shop/invoice.py", "tests/test_cart.py"),
    ETL: ("etl/load.py", "etl/schedule.py", "etl/staging.sql", "Makefile", "tests/test_loader_retry.py"),
    FRONT: ("src/basket.ts", "src/price.tsx", "src/store.ts", "package.json", "tests/basket.spec.ts"),
}
TESTS: Mapping[str, str] = {SHOP: "pytest tests -q", ETL: "make test", FRONT: "pnpm test"}
ERRORS: Mapping[str, str] = {
    SHOP: "Exit code 1\nE   AssertionError: Decimal('19.98') != Decimal('19.99')",
    ETL: 'Exit code 2\npsql: FATAL: role "etl" does not exist',
    FRONT: "Exit code 1\nTypeError: Cannot read properties of undefined (reading 'priceMode')",
}


def calls_of(project: str, begun_at: datetime, *, stuck: bool, chance: random.Random) -> Iterator[Call]:
    """Yield the calls of one session in `project`; a `stuck` one repeats a failing command before it goes on."""
    moment = begun_at
    steps = [*_work(project, chance, 8), *(_stuck(project) if stuck else []), *_work(project, chance, 10)]
    for number, step in enumerate(steps, 1):
        moment += timedelta(seconds=chance.randint(5, 90))
        yield {"id": f"call-{number}", "timestamp": moment.isoformat(), **step}


def stuck_calls(project: str, ended_at: datetime, *, chance: random.Random) -> Iterator[Call]:
    """Yield the calls of a session that is stuck when the last of them is made, at `ended_at`."""
    steps = [*_work(project, chance, 5), *_stuck(project)]
    for number, step in enumerate(steps):
        moment = ended_at - timedelta(seconds=40 * (len(steps) - 1 - number))
        yield {"id": f"call-{number + 1}", "timestamp": moment.isoformat(), **step}


def _work(project: str, chance: random.Random, most: int) -> Iterator[Call]:
    for number in range(chance.randint(4, most)):
        path = chance.choice(FILES[project])
        yield _call("Read", {"file_path": path}, result=f"{path} as it is at step {number}, {chance.random()}")
        if chance.random() < 0.6:
            change = {"file_path": path, "old_string": f"a{number}", "new_string": f"b{chance.random()}"}
            yield _call("Edit", change, result="The file has been updated.")
        if chance.random() < 0.5:
            result = f"{chance.randint(20, 200)} passed in {chance.random() * 9:.2f}s"
            yield _call("Bash", {"command": TESTS[project]}, result=result)


def _stuck(project: str) -> Iterator[Call]:
    for _ in range(6):
        yield _call("Bash", {"command": TESTS[project]}, error=ERRORS[project])


def _call(tool: str, arguments: Mapping[str, Any], **outcome: str) -> Call:
    return {"tool_name": tool, "tool_input": dict(arguments), **outcome}
