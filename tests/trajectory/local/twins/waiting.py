"""Pairs: waiting for something to come."""

from __future__ import annotations

from tests.trajectory.local.twins.calls import STILL, bash, tool
from tests.trajectory.local.twins.pair import Pair
from trajectory.local import ObserverConfig, ObserverTrigger, Poll

NEVER = ObserverTrigger(on_every_call=True)

WAITING: tuple[Pair, ...] = (
    Pair(
        "poll with the same answer",
        "Polling",
        [tool("BashOutput", {"bash_id": "1"}, STILL)] * 12,
        [tool("BashOutput", {"bash_id": "1"}, STILL)] * 6,
    ),
    Pair(
        "poll that gets on",
        "Polling",
        [bash("sleep 30 && tail -1 build.log", "compiling")] * 12,
        [bash("sleep 30 && tail -1 build.log", f"compiling {n} of 30") for n in range(25)],
    ),
    Pair(
        "poll of a status command",
        "Polling",
        [bash("gh run view 7", "in_progress")] * 11,
        [bash("gh run view 7", "queued")] * 4
        + [bash("gh run view 7", "in_progress")] * 4
        + [bash("gh run view 7", "ok")],
    ),
    Pair(
        "empty line to a terminal",
        "Polling",
        [tool("write_stdin", {"session_id": 3, "chars": ""}, "waiting")] * 11,
        [tool("write_stdin", {"session_id": 3, "chars": ""}, "waiting")] * 5,
    ),
    Pair(
        "wait that eats the budget",
        "Polling",
        [tool("TaskOutput", {"id": 1}, STILL, timestamp=f"2026-01-15T14:{10 + n}:00Z") for n in range(6)],
        [tool("TaskOutput", {"id": 1}, STILL, timestamp=f"2026-01-15T14:10:{10 + n}Z") for n in range(6)],
        (ObserverConfig(Poll(budget_seconds=600), NEVER),),
    ),
    Pair(
        "server that is slow to start",
        "Repeated Call",
        [bash("./client --ping", error="Exit code 7\nno answer"), bash("sleep 2", "")] * 4,
        [bash("curl -sf https://staging.shop.io/api", error="Exit code 7"), bash("sleep 2", "")] * 4,
    ),
    Pair(
        "request that the server refuses, and the same with an error of the server",
        "Repeated Call",
        [bash("curl -s https://shop.io/api/items", error="Exit code 22\n404 not found")] * 4,
        [bash("curl -s https://shop.io/api/items", error="Exit code 7\ncurl: Connection refused")] * 4,
    ),
    Pair(
        "call that only sounds like waiting",
        "Repeated Call",
        [bash("cat sleep.log", "nothing new: 3")] * 3,
        [bash("sleep 10", "")] * 8,
    ),
)
