"""Pairs: answers that say nothing new."""

from __future__ import annotations

from tests.trajectory.local.twins.calls import LISTING, bash, edit, grep, tool
from tests.trajectory.local.twins.pair import Pair

ANSWERS: tuple[Pair, ...] = (
    Pair(
        "search with ever other words, ever the same answer",
        "Stagnation",
        [bash(f"./find.sh word{n}", LISTING * 10) for n in range(5)],
        [bash(f"./find.sh word{n}", f"{LISTING * 10} {n}") for n in range(9)],
    ),
    Pair(
        "tool that rejects every form of the call without calling it an error",
        "Stagnation",
        [tool("write_fix", {"fix": n}, "Your fix did not target all the buggy lines: 3") for n in range(5)],
        [tool("write_fix", {"fix": n}, f"Lines written, result: build {n}") for n in range(9)],
    ),
    Pair(
        "constant words of success",
        "Stagnation",
        [tool("query", {"q": n}, "too much output, narrow the query") for n in range(5)],
        [tool("TodoWrite", {"todos": n}, "Todos have been modified successfully.") for n in range(12)],
    ),
    Pair(
        "file by file, each checked clean",
        "Stagnation",
        [bash(f"./lint src/{n}.py", "config error: no such rule E999") for n in range(5)],
        [bash(f"ruff check src/{n}.py", "All checks passed!") for n in range(12)],
    ),
    Pair(
        "silent commands",
        "Stagnation",
        [bash(f"./run {n}", "usage: run NAME") for n in range(5)],
        [bash(f"mkdir -p out/{n}", "") for n in range(12)],
    ),
    Pair(
        "searches that find nothing",
        "Stagnation",
        [grep(f"word{n}", "src/generated.py:1: word") for n in range(5)],
        [grep(f"word{n}", "No files found") for n in range(8)],
    ),
    Pair(
        "five parallel searches of one turn",
        "Stagnation",
        [bash(f"./find.sh w{n}", LISTING, batch_id=f"m{n}") for n in range(5)],
        [bash(f"./find.sh w{n}", LISTING, batch_id="m1") for n in range(9)],
    ),
    Pair(
        "batch work, file by file",
        "Stagnation",
        [tool("convert", {"file": n}, "cannot open display") for n in range(5)],
        [edit(f"src/{n}.py", "import old", "import new") for n in range(15)],
    ),
)
