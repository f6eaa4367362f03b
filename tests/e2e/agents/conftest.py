"""One real server for all stories, and for each a laptop that is logged in to it, with a project of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.agents.at_server import AtServer
from tests.e2e.agents.laptop import Laptop
from tests.support.database.migrated import Migrated
from tests.support.processes.server_process import Server


@pytest.fixture(scope="package")
def server(migrated: Migrated, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(migrated.files(tmp_path_factory.mktemp("agents") / "data")).start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="package")
def token(server: Server) -> str:
    return server.token()


@dataclass(frozen=True)
class Place:
    """A laptop, and what the server has of its project."""

    laptop: Laptop
    there: AtServer
    url: str
    token: str


@pytest.fixture
def place(tmp_path: Path, server: Server, token: str) -> Callable[..., Place]:
    """`place("shop")`: a laptop with a project of that name, logged in; with an `url`, by that way to the server."""

    def at(project: str, url: str = "", *, logged_in: bool = True) -> Place:
        laptop = Laptop(tmp_path, project)
        if logged_in:
            laptop.log_in(url or server.address, token)
        return Place(laptop, AtServer(server, token, project), server.address, token)

    return at
