"""Pairs: edits that undo each other, tests that stay red."""

from __future__ import annotations

from tests.trajectory.local.twins.calls import TRACEBACK, bash, edit, edits, pytest_says, read, red, woven, write
from tests.trajectory.local.twins.pair import Pair

EDITS: tuple[Pair, ...] = (
    Pair(
        "same check fails alike after every edit",
        "Edit-Test Loop",
        woven(edits(4), [bash("python reproduce.py", TRACEBACK)] * 4),
        woven(edits(4), [bash("python reproduce.py", TRACEBACK.replace("3", str(n + 3))) for n in range(4)]),
    ),
    Pair(
        "failing test with another read each time",
        "Edit-Test Loop",
        [
            call
            for n in range(4)
            for call in (edit("a.py", f"v{n}", f"v{n + 1}"), bash("./check", TRACEBACK), read(f"{n}.py"))
        ],
        [
            call
            for n in range(4)
            for call in (edit("a.py", f"v{n}", f"v{n + 1}"), bash("./check", "ok"), read(f"{n}.py"))
        ],
    ),
    Pair(
        "failures fall",
        "Test Trend",
        woven([red("a", "b", "c", note="x" * n) for n in range(5)], edits(5)),
        woven(
            [
                bash("pytest", error="Exit code 1\n" + pytest_says(12 - 2 * n, *"abcdefghijkl"[2 * n :]))
                for n in range(5)
            ],
            edits(5),
        ),
    ),
    Pair(
        "failures rise",
        "Test Trend",
        woven(
            [bash("pytest", error="Exit code 1\n" + pytest_says(n + 2, *"abcdefg"[: n + 2])) for n in range(5)],
            edits(5),
        ),
        woven(
            [bash("pytest", error="Exit code 1\n" + pytest_says(3, *"abcdefg"[n : n + 3])) for n in range(5)], edits(5)
        ),
    ),
    Pair(
        "edit and its reversal, again and again",
        "Edit Thrash",
        [edit("a.py", "x = 1", "x = 2"), edit("a.py", "x = 2", "x = 1")] * 3,
        [edit("a.py", f"x = {n}", f"x = {n + 1}") for n in range(6)],
    ),
    Pair(
        "one way back",
        "Edit Thrash",
        [edit("a.py", "p()", "q()"), edit("a.py", "q()", "p()")] * 2,
        [
            edit("a.py", "p()", "q()"),
            bash("./t", "1"),
            edit("a.py", "q()", "p()"),
            bash("./t", "2"),
            edit("a.py", "p()", "q()"),
        ],
    ),
    Pair(
        "whole file written as it was before",
        "Edit Thrash",
        [write("a.py", "one"), write("a.py", "two")] * 3,
        [write("a.py", f"version {n}") for n in range(6)],
    ),
    Pair(
        "insertions and deletions, which share an empty side",
        "Edit Thrash",
        [edit("a.py", "f()", "g()"), edit("a.py", "g()", "f()")] * 3,
        [edit("a.py", "", f"line {n}") for n in range(4)] + [edit("a.py", f"line {n}", "") for n in range(4)],
    ),
    Pair(
        "one file edited in many places",
        "Edit Thrash",
        [edit("src/config.py", "debug = 0", "debug = 1"), edit("src/config.py", "debug = 1", "debug = 0")] * 3,
        [edit("src/config.py", f"option{n} = 0", f"option{n} = 1") for n in range(18)],
    ),
)
