"""The owner of `.sync.json`: which entries the server has confirmed or refused."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ghap.local import layout
from memoryserver.common import files, text

_MAX_REASON = 500  # characters


@dataclass
class ServerAnswers:
    """What one server answered about the entries of one journal, sent under one project's name with one token.

    `account` identifies the token, since a server stores entries by user: with another one all entries are sent again,
    and the server answers "unchanged" for those that its user has.
    `confirmed` is {id: digest of the content}, `refused` {id: [digest, reason]}, `archives` {name: size and
    time of an archive whose entries are all confirmed}.
    """

    folder: Path
    server: str
    project: str
    confirmed: dict[str, str] = field(default_factory=dict)
    refused: dict[str, list[str]] = field(default_factory=dict)
    archives: dict[str, str] = field(default_factory=dict)
    account: str = ""

    @classmethod
    def load(cls, folder: Path, *, server: str, project: str, account: str = "") -> ServerAnswers:
        """Return the state for this server, project and account; empty where there is none, or it is another's or
        damaged.
        """
        path = folder / layout.SYNC_STATE
        state = cls(folder, server, project, account=account)
        try:
            content = json.loads(path.read_bytes())
            recorded = (content["server"], content["project"], content.get("account", ""))
            same = recorded == (server, project, account)
            fields = [content[name] for name in ("confirmed", "refused", "archives")]
        except FileNotFoundError:
            return state
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, IsADirectoryError) as error:
            return state._start_over(path, f"{type(error).__name__}: {error}")
        if not _is_sound(*fields):
            return state._start_over(path, "wrong types")
        if same:
            state.confirmed, state.refused, state.archives = fields
        return state

    def save(self) -> None:
        """Write the state under the journal's lock, which every writer in the folder holds."""
        content = {
            "server": self.server,
            "project": self.project,
            "account": self.account,
            "confirmed": self.confirmed,
            "refused": self.refused,
            "archives": self.archives,
        }
        with files.lock(self.folder / layout.LOCK):
            files.write_atomic(self.folder / layout.SYNC_STATE, json.dumps(content, indent=1) + "\n")

    def wants(self, entry_id: str, digest: str, *, retry: bool) -> bool:
        """Return whether to send the entry: not confirmed, nor refused (unless `retry`), with this content."""
        if self.confirmed.get(entry_id) == digest:
            return False
        return retry or self.refused.get(entry_id, [""])[0] != digest

    def confirm(self, entry_id: str, digest: str) -> None:
        """Record that the server has this content."""
        self.confirmed[entry_id] = digest
        self.refused.pop(entry_id, None)

    def refuse(self, entry_id: str, digest: str, reason: str) -> None:
        """Record that the server refuses this content."""
        self.refused[entry_id] = [digest, text.shorten(text.one_line(text.printable(reason)), _MAX_REASON)]
        self.confirmed.pop(entry_id, None)

    def reasons(self) -> dict[str, str]:
        """Return why each refused entry was refused."""
        return {entry_id: reason for entry_id, (_, reason) in self.refused.items()}

    def is_settled(self, archive: str, signature: str) -> bool:
        """Return whether all entries of the archive were confirmed when it last had this size and time."""
        return self.archives.get(archive) == signature

    def settle(self, scanned: dict[str, dict[str, str]], signatures: dict[str, str]) -> None:
        """Record fully confirmed archives as such, and remove entries that no file holds any more.

        `scanned` is {archive, or "" for the session: {id: digest}}, all that is not settled yet.
        """
        existing = {path.name for path in (self.folder / layout.ARCHIVE).glob("*.jsonl")}
        self.archives = {name: value for name, value in self.archives.items() if name in existing}
        needed: set[str] = set()
        for source, entries in scanned.items():
            if source and all(self.confirmed.get(entry_id) == digest for entry_id, digest in entries.items()):
                self.archives[source] = signatures[source]
            else:
                needed.update(entries)
        self.confirmed = {key: value for key, value in self.confirmed.items() if key in needed}
        self.refused = {key: value for key, value in self.refused.items() if key in needed}

    def _start_over(self, path: Path, reason: str) -> ServerAnswers:
        with files.lock(self.folder / layout.LOCK):
            layout.set_aside(path, reason)
        return self


def refused(folder: Path) -> dict[str, str]:
    """Return why the server refused entries of the journal in `folder`; reads only, empty where nothing is known."""
    try:
        content = json.loads((folder / layout.SYNC_STATE).read_bytes())
        entries = content["refused"]
        return {str(entry_id): str(reason) for entry_id, (_, reason) in entries.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}  # the next sync reports a damaged file


def _is_sound(confirmed: Any, refused: Any, archives: Any) -> bool:
    """Return whether the three have the types that `ServerAnswers` documents."""
    if not all(isinstance(part, dict) for part in (confirmed, refused, archives)):
        return False
    pairs = refused.values()
    return all(isinstance(value, str) for value in (*confirmed.values(), *archives.values())) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in pairs
    )
