"""Pairs: the same call, and what it answered."""

from __future__ import annotations

from tests.trajectory.local.twins.calls import OVERLOADED, REJECTED, bash, edit, edits, read, tool, woven
from tests.trajectory.local.twins.pair import Pair

RESULTS: tuple[Pair, ...] = (
    Pair("same call, same result", "Repeated Call", [read("a.py")] * 3, [read("a.py", f"v{n}") for n in range(3)]),
    Pair(
        "same call with a changing answer",
        "Repeated Call",
        [bash("curl -s api/items", "page 1")] * 3,
        [bash("curl -s api/items", f"page {n}") for n in range(6)],
    ),
    Pair(
        "others in between",
        "Repeated Call",
        woven([bash("cat x", "1")] * 3, [read(f"{n}.py") for n in range(3)]),
        woven([bash("cat x", f"{n}") for n in range(3)], [read(f"{n}.py") for n in range(3)]),
    ),
    Pair(
        "reader that gives the next part of the same arguments",
        "Repeated Call",
        [tool("mcp__book__next", {"book": 1}, "part 1")] * 4,
        [tool("mcp__book__next", {"book": 1}, f"part {n}") for n in range(8)],
    ),
    Pair(
        "check after each change that keeps passing",
        "Repeated Call",
        [bash("python check.py", "System check identified no issues (0 silenced).")] * 4,
        woven([bash("python check.py", "System check identified no issues (0 silenced).")] * 4, edits(4)),
    ),
    Pair(
        "parallel calls of one turn",
        "Repeated Call",
        [read("a.py", batch_id=f"m{n}") for n in range(4)],
        [read("a.py", batch_id="m1")] * 4,
    ),
    Pair(
        "person speaks in between",
        "Repeated Call",
        [bash("git status", "clean", turn_id="1")] * 3,
        [bash("git status", "clean", turn_id=f"{n}") for n in range(6)],
    ),
    Pair(
        "resumed transcript that repeats its calls",
        "Repeated Call",
        [read("a.py", tool_use_id=f"t{n}") for n in range(3)],
        [read("a.py", tool_use_id="t1"), read("b.py", tool_use_id="t2")] * 4,
    ),
    Pair(
        "comment parameters that vary",
        "Repeated Call",
        [
            tool("Bash", {"command": "cat log", "description": f"look {n}", "task_progress": n}, "x 1", turn_id="1")
            for n in range(3)
        ],
        [tool("Bash", {"command": f"cat log{n}", "description": "look"}, f"x {n}") for n in range(3)],
    ),
    Pair(
        "time stamps in the answer hide a loop",
        "Repeated Call",
        [bash("./status", f"2026-01-15 14:32:{n:02d} pid 4{n} took 0.{n}s: 3 waiting") for n in range(3)],
        [bash("./status", f"2026-01-15 14:32:{n:02d} pid 4{n} took 0.{n}s: {9 - n} waiting") for n in range(6)],
    ),
    Pair(
        "empty list that is asked for without end",
        "Repeated Call",
        [bash("gh api repos/a/b/pulls/3/reviews", "[]")] * 6,
        [bash(f"gh api repos/a/b/pulls/{n}/reviews", "[]") for n in range(9)],
    ),
    Pair(
        "rejection in place of an error",
        "Repeated Call",
        [bash("make", error="Exit code 2\nNo rule")] * 3,
        [bash("make", error=REJECTED)] * 5,
    ),
    Pair(
        "denial in place of an error",
        "Repeated Call",
        [tool("WebFetch", {"url": "x"}, error="Invalid URL")] * 3,
        [
            tool(
                "WebFetch",
                {"url": "x"},
                error="Claude requested permissions to use WebFetch, but you haven't granted it",
            )
        ]
        * 5,
    ),
    Pair(
        "provider that is overloaded",
        "Repeated Call",
        [tool("mcp__search__find", {"q": "x"}, error="index not found")] * 3,
        [tool("mcp__search__find", {"q": "x"}, error=OVERLOADED)] * 8,
    ),
    Pair(
        "silent success after each change",
        "Repeated Call",
        [bash("git diff --stat", "a.py | 2 +-")] * 3,
        woven(edits(5), [bash("git add -A", "")] * 5),
    ),
    Pair(
        "edit that fails alike",
        "Repeated Call",
        [edit("a.py", "x", "y", error="String to replace not found in file.")] * 3,
        [edit("a.py", f"x{n}", "y") for n in range(6)],
    ),
)
