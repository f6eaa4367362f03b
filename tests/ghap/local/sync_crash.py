"""Run as a process: stops a child at every file operation of a sync of three batches, restarts, and checks.

The server is a file to which each entry's id is appended. Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from tests.ghap.local import crash
from tests.ghap.local.crash import FAULTS, in_child
from tests.support.laptops import faults

from ghap.local.sync import MAX_BATCH, sync_journal  # isort: skip - the faults must be in place first
from tests.ghap.local.test_sync import fill  # isort: skip


class FileServer:
    """Keeps what it was sent in the file `path`, as a server's database would."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, endpoint: str, body: Any) -> Any:
        FAULTS.disarm()
        with self.path.open("a") as file:
            file.writelines(f"{entry['id']}\n" for entry in body["entries"])
        FAULTS.resume()
        return {"results": [{"id": entry["id"], "status": "stored"} for entry in body["entries"]]}

    def ids(self) -> list[str]:
        return self.path.read_text().split() if self.path.exists() else []


def main() -> dict[str, object]:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        template = Path(scratch) / "template"
        expected = sorted(fill(template, 120, 110, 20))

        def sync(folder: Path, at: int | None = None, *, armed: bool = True) -> list[str]:
            if armed:
                FAULTS.arm(at)
            sync_journal(folder, "p", FileServer(folder.parent / "server"))
            FAULTS.disarm()
            return FAULTS.moments

        folder = crash.copy(template)
        status, said = in_child(lambda: sync(folder))
        assert status == 0, said
        moments = json.loads(said)
        failures = []
        for at, moment in enumerate(moments):
            folder = crash.copy(template)
            status, _ = in_child(lambda: sync(folder, at))  # noqa: B023 - runs at once
            if status != faults.EXIT_STATUS:
                failures.append(f"{at} {moment}: not stopped")
            status, said = in_child(lambda: sync(folder, armed=False))  # noqa: B023
            ids = FileServer(folder.parent / "server").ids()
            if status or sorted(set(ids)) != expected or len(ids) > len(expected) + MAX_BATCH:
                failures.append(f"{at} {moment}: {len(set(ids))} arrived, {len(ids)} sent {said}")
            shutil.rmtree(folder.parent)
    return {"points": len(moments), "moments": moments, "failures": failures}


if __name__ == "__main__":
    print(json.dumps(main()))
