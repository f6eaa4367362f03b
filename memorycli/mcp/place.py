"""Where a call works: in a project on the laptop, or for one caller of a team's server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client import places
from memoryserver.client.http import Client

SECONDS = 20.0  # that a call waits for the server


class NoServerError(Exception):
    """The laptop has no server, or cannot use what it was told of one; the text is one line."""


@dataclass(frozen=True)
class Place:
    """`root` is the project's folder, None for a caller over HTTP, who has no files here.

    `caller` is that caller's own client of the server; on a laptop it is made when it is needed.
    """

    root: Path | None = None
    caller: Client | None = field(default=None, repr=False)

    @property
    def journal(self) -> Path:
        """The folder of the project's journal."""
        return places.journal_dir(self.folder)

    @property
    def folder(self) -> Path:
        """The project's folder; only tools of the laptop ask for it."""
        assert self.root is not None, "a tool that needs the laptop's files was offered over HTTP"
        return self.root

    @property
    def project(self) -> str | None:
        """The project's key, None over HTTP."""
        return None if self.root is None else places.project_key(self.root)

    @property
    def on_laptop(self) -> bool:
        """Whether there are files, an outbox among them."""
        return self.root is not None

    def client(self) -> Client:
        """The server as the caller sees it. Raises NoServerError."""
        if self.caller is not None:
            return self.caller
        try:
            return connection.load(timeout=SECONDS)
        except CommandError as error:
            raise NoServerError(str(error)) from error


def laptop(roots: list[Path]) -> Place:
    """The place of an agent on this laptop that named `roots` as the folders it works in, or none.

    The first root that is a folder; where it is also the agent's project folder (`$CLAUDE_PROJECT_DIR`), or where there
    is none, that folder exactly, as its hooks use it.
    """
    default = places.project_root()
    existing = [root for root in roots if root.is_dir()]
    if not existing or default in existing:
        return Place(default)
    return Place(places.project_root(existing[0]))
