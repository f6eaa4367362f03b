"""Reports on the active entry: when they are made, and that nothing depends on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ghap.local import Journal, open_entry
from memoryserver.client.http import RefusedError, UnauthorizedError, UnreachableError
from tests.support.laptops.journals import create, resolve, run


class Server:
    def __init__(self) -> None:
        self.bodies: list[Any] = []
        self.error: Exception | None = None

    def __call__(self, path: str, body: Any) -> Any:
        assert path == "/ghap/open-entries"
        if self.error:
            raise self.error
        self.bodies.append(body)
        return {"results": [{"id": body["open_entries"][0]["id"], "status": "stored"}]}


def report(folder: Path, server: Server, project: str = "shop") -> bool:
    return open_entry.report(folder, project, server, server="http://x", account="alice")


def test_active_entry_is_reported_once_and_again_when_it_changes(tmp_path: Path) -> None:
    server = Server()
    entry = run(tmp_path, create)

    assert [report(tmp_path, server), report(tmp_path, server)] == [True, False]
    run(tmp_path, lambda journal: journal.update_ghap(hypothesis="another"))
    assert report(tmp_path, server)
    assert report(tmp_path, server, "bank")

    assert [body["project"] for body in server.bodies] == ["shop", "shop", "bank"]
    sent = [body["open_entries"][0] for body in server.bodies]
    assert {each["id"] for each in sent} == {entry.id}
    assert [each["hypothesis"] for each in sent] == [entry.hypothesis, "another", "another"]


def test_journal_without_an_active_entry_and_a_missing_one_report_nothing(tmp_path: Path) -> None:
    server = Server()
    assert not report(tmp_path / "none", server)
    Journal(tmp_path / "j")
    assert not report(tmp_path / "j", server)
    run(tmp_path / "j", create)
    run(tmp_path / "j", resolve)
    assert not report(tmp_path / "j", server)
    assert server.bodies == []


@pytest.mark.parametrize("error", [UnreachableError("no route"), RefusedError("not found", 404, {})])
def test_report_that_fails_is_made_by_the_next_sync(tmp_path: Path, error: Exception) -> None:
    server = Server()
    run(tmp_path, create)
    server.error = error
    assert not report(tmp_path, server)

    server.error = None
    assert report(tmp_path, server)


def test_refused_token_is_for_the_caller(tmp_path: Path) -> None:
    server = Server()
    run(tmp_path, create)
    server.error = UnauthorizedError("no", 401, {})

    with pytest.raises(UnauthorizedError):
        report(tmp_path, server)
