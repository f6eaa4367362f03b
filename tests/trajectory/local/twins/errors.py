"""Pairs: errors, one after another."""

from __future__ import annotations

from tests.trajectory.local.twins.calls import NO_FILE, UNREAD, bad, bash, edit, edits, read, red, tool, woven, write
from tests.trajectory.local.twins.pair import Pair

ERRORS: tuple[Pair, ...] = (
    Pair(
        "one error out of many commands",
        "Same Error",
        [bash(f"python step{n}.py", error=NO_FILE) for n in range(3)],
        [bash(f"python step{n}.py", error=f"Exit code 1\nSyntaxError: bad token {chr(97 + n)}") for n in range(3)],
    ),
    Pair(
        "one error out of sibling tools",
        "Same Error",
        [tool(name, {"path": "data/in.csv"}, error="no such table: items") for name in ("query", "describe", "sample")],
        [tool(name, {"path": "data/in.csv"}, [1, 2, name]) for name in ("query", "describe", "sample")],
    ),
    Pair(
        "errors that differ by line and folder alone",
        "Same Error",
        [bash(f"python {n}.py", error=f"Exit code 1\nFile /x{n}/a.py, line {n}: KeyError: 'id'") for n in range(3)],
        [bash(f"python {n}.py", error=f"Exit code 1\nFile /x/a.py: KeyError: 'k{chr(97 + n)}'") for n in range(3)],
    ),
    Pair(
        "one batch of failures",
        "Same Error",
        [bash(f"cat {n}.csv", error=NO_FILE, batch_id=f"m{n}") for n in range(4)],
        [bash(f"cat {n}.csv", error=NO_FILE, batch_id="m1") for n in range(8)],
    ),
    Pair(
        "edits refused for one reason in many files",
        "Same Error",
        [edit(f"{n}.py", f"old {n}", "new", error=UNREAD) for n in range(6)],
        [
            each
            for n in range(6)
            for each in (
                edit(f"{n}.py", f"old {n}", "new", error=UNREAD),
                read(f"{n}.py"),
                edit(f"{n}.py", f"old {n}", "new"),
            )
        ],
    ),
    Pair(
        "files that are looked for before they are written",
        "Same Error",
        [bash(f"python {n}.py", error=NO_FILE) for n in range(4)],
        [
            each
            for n in range(4)
            for each in (
                tool("Read", {"file_path": f"{n}.toml"}, error="File does not exist."),
                write(f"{n}.toml", "x = 1"),
            )
        ],
    ),
    Pair(
        "failures one after the other",
        "Error Cascade Detector",
        [bash(f"tool{n}", error=f"Exit code 127\ntool{n}: command not found {'x' * n}") for n in range(5)],
        [
            call
            for n in range(5)
            for call in (bash(f"tool{n}", error=f"Exit code 1\nerror {'x' * n}"), read(f"{n}.py"), read(f"doc{n}.md"))
        ],
    ),
    Pair(
        "exit status 1 that means no",
        "Error Cascade Detector",
        [bash(f"python {n}.py", error=f"Exit code 1\nerror {'x' * n}") for n in range(5)],
        [bash(f"grep {'x' * n} a.py", error="Exit code 1") for n in range(1, 9)],
    ),
    Pair(
        "siblings cancelled with the one that failed",
        "Error Cascade Detector",
        [bash(f"make {'x' * n}", error=f"Exit code 2\nNo rule {'x' * n}") for n in range(5)],
        [
            bash("make", error="Exit code 2\nNo rule"),
            *[read(f"{n}", error="Sibling tool call errored") for n in range(8)],
        ],
    ),
    Pair(
        "half of the calls fail",
        "Error Rate Monitor",
        woven(
            [bad(n) for n in range(8)],
            [read(f"{n}.py") for n in range(8)],
        ),
        [call for n in range(8) for call in (bad(n), *(read(f"{n}{k}.py") for k in range(3)))],
    ),
    Pair(
        "red tests of one who works test first",
        "Error Cascade Detector",
        [bash(f"deploy {'x' * n}", error=f"Exit code 1\nno route {'x' * n}") for n in range(5)],
        woven([red(*"abcdefghi"[n:]) for n in range(8)], edits(8)),
    ),
)
