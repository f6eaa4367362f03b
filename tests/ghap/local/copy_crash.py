"""Run as a process: stops a child at every file operation of a call on a journal with copies, and checks what is left.

The calls are `resolve` and `amend`, and the delivery of a journal that is there and of one that was deleted. After each
stop the entry is resolved if it is active still, the journal is deleted, as by `git clean -fdx`, and all is delivered:
the server must have the entry once, as it was filed last. Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.ghap.local.crash import FAULTS, create, in_child
from tests.support.laptops import faults

from ghap.local import Journal, OutcomeStatus, copies, lost_entries  # isort: skip - the faults must be in place first
from ghap.local.sync import SyncReport, sync_journal  # isort: skip - as above


class FileServer:
    """Keeps what it was sent in the file `path`, as a server's database would."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, endpoint: str, body: Any) -> Any:
        FAULTS.disarm()
        with self.path.open("a") as file:
            file.writelines(json.dumps(entry) + "\n" for entry in body["entries"])
        FAULTS.resume()
        return {"results": [{"id": entry["id"], "status": "stored"} for entry in body["entries"]]}

    def entries(self) -> dict[str, Any]:
        """The entries by id, as they came last."""
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return {entry["id"]: entry for entry in map(json.loads, lines)}


class Laptop:
    """A home folder, a journal and a server below `root`."""

    def __init__(self, root: Path) -> None:
        self.root, self.folder, self.server = root, root / "shop" / "journal", FileServer(root / "server")

    def journal(self) -> Journal:
        return Journal(self.folder, project="shop")

    def active(self) -> None:
        create(self.journal(), "one")

    def filed(self) -> None:
        self.active()
        self.resolve()

    def filed_and_sent(self) -> None:
        self.filed()
        self.deliver()

    def filed_and_deleted(self) -> None:
        self.filed()
        self.delete()

    def resolve(self) -> None:
        self.journal().resolve_ghap(OutcomeStatus.CONFIRMED, "as predicted")

    def amend(self) -> None:
        self.journal().amend_ghap(note="learned")

    def deliver(self) -> None:
        report = SyncReport()
        sync_journal(self.folder, "shop", self.server)
        lost_entries.deliver(self.server, report)

    def delete(self) -> None:
        shutil.rmtree(self.folder.parent, ignore_errors=True)

    def go_on(self) -> None:
        """What comes after the stop: the agent goes on, the checkout is cleaned, the laptop delivers."""
        if self.folder.exists() and self.journal().get_current() is not None:
            self.resolve()
        self.delete()
        self.deliver()


CALLS: dict[str, tuple[Callable[[Laptop], None], Callable[[Laptop], None]]] = {
    "resolve": (Laptop.active, Laptop.resolve),
    "amend": (Laptop.filed_and_sent, Laptop.amend),
    "deliver": (Laptop.filed, Laptop.deliver),
    "deliver lost": (Laptop.filed_and_deleted, Laptop.deliver),
}


def stopped(scratch: Path, name: str, at: int | None) -> tuple[int, str, Laptop]:
    """Run the call in a child that ends at its operation number `at`."""
    prepare, call = CALLS[name]
    laptop = Laptop(Path(tempfile.mkdtemp(dir=scratch)))
    os.environ["MEMORYSERVER_HOME"] = str(laptop.root / "home")
    prepare(laptop)

    def work() -> list[str]:
        FAULTS.arm(at)
        call(laptop)
        FAULTS.disarm()
        return FAULTS.moments

    status, said = in_child(work)
    return status, said, laptop


def problem(laptop: Laptop) -> str:
    """What does not hold after the stop, "" where all does."""
    status, said = in_child(laptop.go_on)
    entries = list(laptop.server.entries().values())
    if status or len(entries) != 1 or not entries[0].get("outcome"):
        return f"{len(entries)} entries arrived {said}"
    left = [path.name for path in (*copies.outbox().waiting(), *copies.outbox().failed())]
    return f"left in the outbox: {left}" if left else ""


def main() -> dict[str, object]:
    points, failures = {}, []
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        for name in CALLS:
            status, said, laptop = stopped(Path(scratch), name, None)
            assert status == 0, said
            moments = json.loads(said)
            points[name] = len(moments)
            failures += [f"{name}: {found}" for found in [problem(laptop)] if found]
            for at, moment in enumerate(moments):
                status, _, laptop = stopped(Path(scratch), name, at)
                if status != faults.EXIT_STATUS:
                    failures.append(f"{name} {at} {moment}: not stopped")
                elif found := problem(laptop):
                    failures.append(f"{name} {at} {moment}: {found}")
    return {"points": points, "failures": failures}


if __name__ == "__main__":
    print(json.dumps(main()))
