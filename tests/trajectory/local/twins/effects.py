"""Pairs: work that has no effect - edits, scripts that are made again, files that are read again."""

from __future__ import annotations

from tests.trajectory.local.twins.calls import Call, bash, edit, edits, grep, read, tool, woven, write
from tests.trajectory.local.twins.pair import Pair

SAME_LONG = "\n".join(f"row {n}: {n * 7}" for n in range(120))


def round_of(content: str, printed: str, *between: Call, name: str = "reproduce.py") -> list[Call]:
    """A script that is written, run and removed, and what comes before it."""
    return [*between, write(name, content), bash(f"python {name}", printed), bash(f"rm {name}", "")]


def change(n: int, path: str = "src/a.py") -> Call:
    return edit(path, f"v{n}", f"v{n + 1}")


def refused(n: int) -> Call:
    """An edit in the words of another agent's tool, which does not call it an error."""
    given = {"command": "str_replace", "path": f"/src/{n}.py", "old_str": f"def f{n}():\n    pass", "new_str": "x"}
    answer = (
        f"ERROR:\nNo replacement was performed, old_str `def f{n}():\n    pass` did not appear verbatim in /src/{n}.py."
    )
    return tool("str_replace_editor", given, answer)


def moved(line: int, code: str = "return rows[0]") -> str:
    """A traceback in which the code that fails lies at `line`."""
    frame = f'Traceback (most recent call last):\n  File "a.py", line {line}, in total\n    {code}'
    return f"Exit code 1\n{frame}\nIndexError: list index out of range"


def ambiguous(n: int) -> Call:
    """An edit that is refused since its text is there more than once, in the words of another agent's tool."""
    given = {"command": "str_replace", "path": f"/src/{n}.py", "old_str": "x = 1", "new_str": "x = 2"}
    told = f"ERROR:\nMultiple occurrences of old_str `x = 1` in lines [{n}, {n + 8}]. Please ensure it is unique."
    return tool("str_replace_editor", given, told)


def rereads(compactions: int) -> list[Call]:
    """Four files, read three times each with searches in between; the context is compacted before the last time."""
    return [
        call | {"compactions": compactions * (n // 2)}
        for n in range(3)
        for call in (*(read(f"{name}.py") for name in "abcd"), grep(f"word{n}", "No files found"))
    ]


EFFECTS: tuple[Pair, ...] = (
    Pair(
        "program that prints the same after each edit",
        "Edits Without Effect",
        woven(edits(6), [read(f"{n}.py") for n in range(6)], [bash("python check.py", "total: 41")] * 6),
        woven(
            edits(6), [read(f"{n}.py") for n in range(6)], [bash("python check.py", f"total: {n}") for n in range(6)]
        ),
    ),
    Pair(
        "smoke test after each of several finished tasks",
        "Edits Without Effect",
        woven(edits(6), [bash("python smoke.py", SAME_LONG)] * 6),
        woven([change(n, f"src/{n}.py") for n in range(6)], [bash("python smoke.py", SAME_LONG)] * 6),
    ),
    Pair(
        "six of eight outputs are the same, and the one that was reached at last stays",
        "Edits Without Effect",
        woven(edits(8), [bash("python check.py", f"total: {n}") for n in (1, 1, 2, 1, 1, 1, 3, 1)]),
        woven(edits(8), [bash("python check.py", f"total: {n}") for n in (1, 2, 2, 2, 2, 2, 2, 2)]),
    ),
    Pair(
        "output that says success after each edit",
        "Edits Without Effect",
        woven(edits(6), [bash("python check.py", "3 of 12 rows match")] * 6),
        woven(edits(6), [bash("python check.py", "12 checks passed")] * 6),
    ),
    Pair(
        "linter that ends well without a word of its own",
        "Edits Without Effect",
        woven(edits(6), [bash("node show.js", "> app@1.0.0\n> 3")] * 6),
        woven(edits(6), [bash("npm run lint", "> app@1.0.0 lint\n> eslint .")] * 6),
    ),
    Pair(
        "script that is made, run and removed again and again",
        "Repeated Call",
        [call for _ in range(7) for call in round_of("print(total())", "total: 41")],
        [call for n in range(7) for call in round_of("print(total())", f"total: {n}", change(n))],
    ),
    Pair(
        "script that is made again with other content and shows the same",
        "Recreated File",
        [
            call
            for n in range(5)
            for call in round_of(f"print({n})", "total: 41", *[read(f"{n}{k}.py") for k in range(6)])
        ],
        [call for n in range(5) for call in round_of(f"print({n})", "12 checks passed", change(n, f"src/{n}.py"))],
    ),
    Pair(
        "script that is made for each task, and for none",
        "Recreated File",
        [call for n in range(7) for call in round_of(f"print({n})", f"total: {n}", read(f"{n}.py"))],
        [call for n in range(7) for call in round_of(f"print({n})", f"total: {n}", change(n))],
    ),
    Pair(
        "same files read for the third and fourth time",
        "Read Again",
        [
            call
            for n in range(4)
            for call in (
                read("a.py"),
                grep(f"word{n}", "No files found"),
                read("b.py"),
                read("c.py"),
                read(f"d{n % 2}.py"),
            )
        ],
        [
            call
            for n in range(4)
            for call in (read("a.py"), change(n), read("b.py"), read("c.py"), read(f"d{n % 2}.py"))
        ],
    ),
    Pair(
        "files that are compared with ever other ones",
        "Read Again",
        [call for n in range(6) for call in (read("a.py"), read("b.py"), read("c.py"), read(f"d{n % 3}.py"))],
        [call for n in range(5) for call in (read("a.py"), *(read(f"{n}{k}.py") for k in range(5)))]
        + [call for n in range(2) for call in (read("b.py"), read(f"x{n}.py"))],
    ),
    Pair(
        "edits refused for one reason over many places, in another agent's words",
        "Same Error",
        [call for n in range(4) for call in (refused(n), read(f"/src/{n}.py"))],
        [
            call
            for n in range(4)
            for call in (
                refused(n),
                read(f"/src/{n}.py"),
                tool("str_replace_editor", {"path": f"/src/{n}.py"}, "edited"),
            )
        ],
    ),
    Pair(
        "script of another number each time, that shows the same",
        "Recreated File",
        [call for n in range(5) for call in round_of(f"print({n})", "total: 41", read(f"{n}.py"), name=f"try{n}.py")],
        [call for n in range(5) for call in round_of(f"print({n})", f"total: {n}", read(f"{n}.py"), name=f"try{n}.py")],
    ),
    Pair(
        "same code fails at a line that the edits above it move",
        "Edit-Test Loop",
        woven(edits(4), [bash("python total.py", error=moved(n + 12)) for n in range(4)]),
        woven(edits(4), [bash("python total.py", error=moved(n + 12, f"rows[{n}]")) for n in range(4)]),
    ),
    Pair(
        "server that answers the same after each edit",
        "Edits Without Effect",
        woven(edits(5), [bash("curl -s localhost:8000/total", '{"total": 41}')] * 5),
        woven(edits(5), [bash("sleep 2; curl -s localhost:8000/health", '{"state": "starting"}')] * 5),
    ),
    Pair(
        "bare number after each edit",
        "Edits Without Effect",
        woven(edits(5), [bash("python total.py", "41")] * 5),
        woven(edits(5), [bash("python count_errors.py", "0")] * 5),
    ),
    Pair(
        "program that prints a figure, and one that draws it",
        "Edits Without Effect",
        woven(edits(5), [bash("python plot.py", "largest of data.json: 41")] * 5),
        woven(edits(5), [bash("python plot.py", "Rendering 1 of 1 to 'out/plot.png'.")] * 5),
    ),
    Pair(
        "program that make runs, and the tests that it runs",
        "Edits Without Effect",
        woven(edits(5, "a.c"), [bash("make run", "cc -o a a.c\n./a\ntotal: 41")] * 5),
        woven(edits(5, "a.c"), [bash("make test", "cc -o a a.c\n./a --check\ntotal: 41")] * 5),
    ),
    Pair(
        "edits whose text is there more than once, over many places",
        "Same Error",
        [call for n in range(4) for call in (ambiguous(n), read(f"/src/{n}.py"))],
        [
            call
            for n in range(3)
            for call in (ambiguous(n), tool("str_replace_editor", {"path": f"/src/{n}.py"}, "edited"))
        ],
    ),
    Pair(
        "files that are read again after the context was compacted",
        "Read Again",
        rereads(0),
        rereads(1),
    ),
    Pair(
        "call that is made again after the context was compacted",
        "Repeated Call",
        [bash("python show.py", "3 rows")] * 3,
        [bash("python show.py", "3 rows", compactions=n) for n in (0, 0, 1, 1)],
    ),
    Pair(
        "call that keeps failing, whatever was compacted",
        "Repeated Call",
        [bash("make", error="Exit code 2\nNo rule", compactions=n) for n in (0, 0, 1)],
        [bash("make", "a.o", compactions=n) for n in (0, 0, 1, 1)],
    ),
    Pair(
        "round of searches on both sides of a compaction",
        "Cycle",
        [grep("run", "src/a.py:3"), grep("main", "src/m.py:1")] * 2,
        [grep(word, f"src/{word}.py:1") | {"compactions": n} for n in range(2) for word in ("run", "main")],
    ),
)
