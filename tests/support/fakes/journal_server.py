"""The server's side of a sync, as the wire format says it: keeps what it is sent and answers for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memoryserver.client.http import RefusedError, UnreachableError


class Server:
    """Call it as `post`. `refuse` maps ids to reasons; `fail` is asked before each batch is taken."""

    def __init__(self) -> None:
        self.stored: dict[str, dict[str, Any]] = {}
        self.batches: list[list[str]] = []
        self.projects: set[str] = set()
        self.refuse: dict[str, str] = {}
        self.poison: dict[str, int] = {}
        self.fail: Callable[[int], Exception | None] = lambda _: None
        self.lose_answer: Callable[[int], bool] = lambda _: False

    def __call__(self, path: str, body: Any) -> Any:
        assert path == "/ghap/entries"
        assert sorted(body) == ["entries", "project"]
        error = self.fail(len(self.batches))
        if error:
            raise error
        ids = [entry["id"] for entry in body["entries"]]
        self.batches.append(ids)
        for entry_id in ids:
            if entry_id in self.poison:
                raise RefusedError("refused: not valid", self.poison[entry_id], {})
        self.projects.add(body["project"])
        results = [self._take(entry) for entry in body["entries"]]
        if self.lose_answer(len(self.batches) - 1):
            raise UnreachableError("timed out")
        return {"results": results}

    def _take(self, entry: dict[str, Any]) -> dict[str, str]:
        if entry["id"] in self.refuse:
            return {"id": entry["id"], "status": "refused", "reason": self.refuse[entry["id"]]}
        status = "unchanged" if self.stored.get(entry["id"]) == entry else "stored"
        self.stored[entry["id"]] = entry
        return {"id": entry["id"], "status": status}

    @property
    def sent(self) -> list[str]:
        """Every id that came, in order."""
        return [entry_id for batch in self.batches for entry_id in batch]
