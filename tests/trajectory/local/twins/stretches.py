"""Pairs: long stretches of work."""

from __future__ import annotations

from tests.trajectory.local.twins.calls import bash, edit, page, read
from tests.trajectory.local.twins.pair import Pair
from trajectory.local import DriftDetector, FixedMessage, NoChange, ObserverConfig, ObserverTrigger, Pace

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
