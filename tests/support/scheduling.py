"""Which tests of a distributed run go to one worker: those of a file, and those that share what takes long to start."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

TOGETHER = (
    "tests/e2e/agents/",  # a server
    "tests/memoryserver/embedding/",  # torch, and the model by it
)


class Scheduling(LoadFileScheduling):  # type: ignore[misc]
    """`--dist loadfile`, with each folder of TOGETHER as if it were a file."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return next((folder for folder in TOGETHER if file.startswith(folder)), file)
