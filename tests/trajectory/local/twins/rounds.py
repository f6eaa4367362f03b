"""Pairs: going round in circles."""

from __future__ import annotations

from tests.trajectory.local.twins.calls import LISTING, bash, edits, grep, read, woven
from tests.trajectory.local.twins.pair import Pair

ROUNDS: tuple[Pair, ...] = (
    Pair(
        "two greps in turn",
        "Cycle",
        [grep("run", LISTING), grep("main", "src/m.py:1")] * 3,
        [call for n in range(3) for call in (grep("run", LISTING + f":{n}"), grep("main", f"src/m.py:{n}"))],
    ),
    Pair(
        "round of three",
        "Cycle",
        [read("a.py"), read("b.py"), bash("git log -3", "abc def")] * 3,
        [read("a.py"), read("b.py"), bash("git log -3", "abc def"), read("c.py"), read("d.py"), read("a.py")],
    ),
    Pair(
        "round of four",
        "Cycle",
        [read(f"{name}.py") for name in "abcd"] * 2,
        [read(f"{name}.py") for name in "abcdefgh"],
    ),
    Pair(
        "round that starts elsewhere",
        "Cycle",
        [read("z.py"), *[read("b.py"), read("a.py")] * 3],
        [read("z.py"), read("b.py"), read("a.py"), read("y.py"), read("b.py"), read("x.py")],
    ),
    Pair(
        "code and build in turn, each round another error",
        "Edit-Test Loop",
        woven(edits(4), [bash("make", error="Exit code 2\nmain.c: undefined reference to `f'")] * 4),
        woven(edits(4), [bash("make", error=f"Exit code 2\nmain.c: undefined reference to `f{n}'") for n in range(4)]),
    ),
)
