"""Pairs of runs that look alike: in one the agent is stuck and must be told, its twin must be left alone.

Each pair is a shape in which a detector somewhere was wrong. They are data, so that the tests and the benchmark
read the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from trajectory.local import (
    DEFAULT_OBSERVERS,
    DriftDetector,
    FixedMessage,
    NoChange,
    ObserverConfig,
    ObserverTrigger,
    Pace,
    Poll,
    replay,
)

Call = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """Two runs; `speaks` is the observer that must speak in `stuck`. In `healthy` nobody may, above "info"."""

    name: str
    speaks: str
    stuck: Sequence[Call]
    healthy: Sequence[Call]
    configs: Sequence[ObserverConfig] = field(default=DEFAULT_OBSERVERS)


def spoken(calls: Iterable[Call], configs: Sequence[ObserverConfig]) -> set[str]:
    """The observers that found something above "info" in `calls`, told or not."""
    return {found.observer_name for _, found in replay.run(calls, configs=configs).noted if found.severity != "info"}


def is_right(pair: Pair) -> bool:
    """Whether the pair comes out as it must."""
    return pair.speaks in spoken(pair.stuck, pair.configs) and not spoken(pair.healthy, pair.configs)


def bash(command: str, output: str = "", *, error: str = "", **more: Any) -> Call:
    """A shell command; with `error` it failed."""
    return {"tool_name": "Bash", "tool_input": {"command": command}, "result": output, "error": error} | more


def read(path: str, content: str = "", **more: Any) -> Call:
    """A file read whole, or a part of it by `more`'s tool_input."""
    return {"tool_name": "Read", "tool_input": {"file_path": path}, "result": content or f"content of {path}"} | more


def page(path: str, offset: int) -> Call:
    """Forty lines of a file."""
    given = {"file_path": path, "offset": offset, "limit": 40}
    return {"tool_name": "Read", "tool_input": given, "result": f"lines {offset} to {offset + 40}"}


def edit(path: str, old: str, new: str, **more: Any) -> Call:
    """One text put in place of another."""
    given = {"file_path": path, "old_string": old, "new_string": new}
    return {"tool_name": "Edit", "tool_input": given, "result": f"The file {path} has been updated."} | more


def write(path: str, content: str) -> Call:
    """A whole file written."""
    return {
        "tool_name": "Write",
        "tool_input": {"file_path": path, "content": content},
        "result": f"File created: {path}",
    }


def grep(pattern: str, output: str) -> Call:
    """A search."""
    return {"tool_name": "Grep", "tool_input": {"pattern": pattern}, "result": output}


def tool(name: str, given: object, result: object = "", *, error: str = "", **more: Any) -> Call:
    """Any other tool."""
    return {"tool_name": name, "tool_input": given, "result": result, "error": error} | more


def edits(n: int, path: str = "src/a.py") -> list[Call]:
    """`n` edits that go on from each other."""
    return [edit(path, f"v{k}", f"v{k + 1}") for k in range(n)]


def woven(*runs: Sequence[Call]) -> list[Call]:
    """The first of each run, the second of each run, and so on."""
    return [call for calls in zip(*runs, strict=True) for call in calls]


def bad(n: int) -> Call:
    """A command of its own that fails with an error of its own."""
    return bash(f"./t{n}", error=f"Exit code 2\nbad {'y' * n}")


def red(*failing: str, note: str = "") -> Call:
    """A run of pytest in which the tests of these names fail."""
    return bash("pytest", error=f"Exit code 1\n{note}\n{pytest_says(len(failing), *failing)}")


def pytest_says(failed: int, *names: str, took: str = "0.12s") -> str:
    """What pytest prints at the end."""
    told = "".join(f"FAILED tests/test_a.py::{name} - assert 1 == 2\n" for name in names)
    passed = "9 passed" if not failed else f"{failed} failed, 9 passed"
    return f"{told}==== {passed} in {took} ====" if failed else f"==== {passed} in {took} ===="


TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: no heading'
NO_FILE = "Exit code 1\nFileNotFoundError: [Errno 2] No such file or directory: 'data/in.csv'"
REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
DENIED = "Claude requested permissions to use WebFetch, but you haven't granted it yet."
OVERLOADED = "API Error: 529 overloaded_error: Overloaded"
LISTING = "src/a.py:3: def run():\nsrc/b.py:9: run()"
STILL = "still running"
NEVER = ObserverTrigger(on_every_call=True)

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
        "call that only sounds like waiting",
        "Repeated Call",
        [bash("cat sleep.log", "nothing new: 3")] * 3,
        [bash("sleep 10", "")] * 8,
    ),
)

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

STRETCHES: tuple[Pair, ...] = (
    Pair(
        "long reading after a change",
        "No Change",
        [edit("a.py", "x", "y"), *[read(f"{n}.py") for n in range(55)]],
        [call for n in range(60) for call in ([read(f"{n}.py")] if n % 12 else [edit("a.py", f"{n}", f"{n + 1}")])],
    ),
    Pair(
        "reading where no change is wanted",
        "No Change",
        [read(f"{n}.py") for n in range(50)],
        [read(f"{n}.py") for n in range(50)][:38],
        (ObserverConfig(NoChange(wants_changes=True), ObserverTrigger(every_n_calls=8)),),
    ),
    Pair(
        "one file in forty-line pieces",
        "No Change",
        [page("big.log", 40 * n) for n in range(40)],
        [page(f"{n % 20}.log", 40 * n) for n in range(40)],
    ),
    Pair(
        "writes outside the task",
        "Drift Detector",
        [edit(f"vendor/{n}.py", "a", f"b{n}") for n in range(10)],
        [read(f"vendor/{n}.py") for n in range(10)] + [edit(f"src/app/{n}.py", "a", f"b{n}") for n in range(10)],
        (ObserverConfig(DriftDetector(frozenset({"src/app/"})), ObserverTrigger(every_n_calls=10)),),
    ),
    Pair(
        "budget of calls",
        "Pace",
        [read(f"{n}.py") for n in range(18)],
        [read(f"{n}.py") for n in range(12)],
        (ObserverConfig(Pace(calls=20), ObserverTrigger(every_n_calls=1)),),
    ),
    Pair(
        "tokens that will not last",
        "Pace",
        [read(f"{n}.py", tokens_used=900 * n) for n in range(1, 9)],
        [read(f"{n}.py", tokens_used=100 * n) for n in range(1, 9)],
        (ObserverConfig(Pace(seconds=200, tokens=12_000), ObserverTrigger(every_n_calls=1)),),
    ),
    Pair(
        "told and gone on",
        "Ignored Feedback",
        [read("a.py")] * 8,
        [read("a.py", f"v{n}") for n in range(8)],
    ),
    Pair(
        "message of one's own",
        "Note",
        [read("a.py"), bash("./x", "1", error="boom")],
        [read("a.py"), bash("./x", "1")],
        (ObserverConfig(FixedMessage("Read it again.", "Note"), ObserverTrigger(after_consecutive_errors=1)),),
    ),
)

PAIRS = RESULTS + WAITING + ROUNDS + ANSWERS + ERRORS + EDITS + STRETCHES
