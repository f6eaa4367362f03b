"""Run as a process: stops a child at file operations of a delivery, restarts, and checks that nothing is lost.

    python -m tests.memorycli.delivery.channel_crash STRIDE CHANNEL...

It is stopped at every STRIDEth operation. The server is a file to which the key of each accepted item is appended; it
refuses the second item. Prints one JSON object by channel.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.ghap.local.crash import FAULTS, in_child
from tests.support.laptops import faults

from memorycli.delivery.channels import CHANNELS  # isort: skip - the faults must be in place first
from memoryserver.client.http import RefusedError  # isort: skip
from tests.memorycli.delivery.test_channels import ITEMS, Laptop  # isort: skip
from tests.support.fakes.delivery_server import ENDPOINTS  # isort: skip


class FileServer:
    """Stands for the client: keeps what it was sent in the file `path`, as a server's database would."""

    url = "http://server"
    account = "1234567890abcdef"

    def __init__(self, path: Path, refused: str) -> None:
        self.path = path
        self._refused = refused

    def post(self, path: str, body: Any) -> Any:
        FAULTS.disarm()
        try:
            endpoint = ENDPOINTS[path]
            keys = [endpoint.key(item) for item in endpoint.items(body)]
            if self._refused in keys:
                raise RefusedError("refused (422)", 422, {})
            with self.path.open("a") as file:
                file.writelines(f"{key}\n" for key in keys)
            return endpoint.answer(body)
        finally:
            FAULTS.resume()

    def keys(self) -> list[str]:
        return self.path.read_text().splitlines() if self.path.exists() else []


def check(channel: str, stride: int, scratch: Path) -> dict[str, object]:
    """The number of moments, and what does not hold after a stop at every `stride`th of them."""
    template = scratch / channel
    os.environ["MEMORYSERVER_HOME"] = str(template / "home")
    (template / "shop").mkdir(parents=True)
    keys = Laptop(template).fill(channel)

    def deliver(root: Path, at: int | None = None, *, armed: bool = True) -> list[str]:
        os.environ["MEMORYSERVER_HOME"] = str(root / "home")
        client: Any = FileServer(root / "server", keys[1])
        if armed:
            FAULTS.arm(at)
        CHANNELS[channel](client, Laptop(root).scope())
        FAULTS.disarm()
        return FAULTS.moments

    def copied() -> Path:
        shutil.rmtree(scratch / "copy", ignore_errors=True)
        return Path(shutil.copytree(template, scratch / "copy"))

    status, said = in_child(lambda: deliver(copied()))
    assert status == 0, said
    moments = json.loads(said)
    failures = []
    for at, moment in list(enumerate(moments))[::stride]:
        root = copied()
        status, _ = in_child(lambda: deliver(root, at))  # noqa: B023 - runs at once
        if status != faults.EXIT_STATUS:
            failures.append(f"{at} {moment}: not stopped")
        status, said = in_child(lambda: deliver(root, armed=False))  # noqa: B023
        arrived = FileServer(root / "server", "").keys()
        os.environ["MEMORYSERVER_HOME"] = str(root / "home")
        failed = list(Laptop(root).failed(channel).values())
        if status or set(arrived) != {*keys} - {keys[1]} or failed != ["refused (422)"] or len(arrived) > 2 * ITEMS:
            failures.append(f"{at} {moment}: {arrived} arrived, {failed} failed {said}")
    return {"points": len(moments[::stride]), "failures": failures}


def main() -> dict[str, object]:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        return {channel: check(channel, int(sys.argv[1]), Path(scratch)) for channel in sys.argv[2:]}


if __name__ == "__main__":
    print(json.dumps(main()))
