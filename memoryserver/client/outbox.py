"""The outbox: one file for each item that waits to be sent, written before the first attempt.

    $MEMORYSERVER_HOME/outbox/KIND/ID.json              what waits
    $MEMORYSERVER_HOME/outbox/KIND/failed/ID.json       what the server refused
    $MEMORYSERVER_HOME/outbox/KIND/failed/ID.reason     and why

The server recognises an item by its id when it is sent twice. A file is removed after the server has confirmed it.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memoryserver.client.delivery import Item, UnexpectedAnswerError, results
from memoryserver.client.exclusions import Exclusions
from memoryserver.common import files
from memoryserver.common.redaction import redact_value

_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
FAILED = "failed"


def kinds(home: Path) -> list[str]:
    """Return the kinds of items that wait below `home`, were set aside there, or once did."""
    return sorted(path.name for path in (home / "outbox").glob("[!.]*") if path.is_dir())


class Outbox:
    """The items of one `kind` (a word) that wait below `home`."""

    def __init__(self, home: Path, kind: str) -> None:
        self._folder = home / "outbox" / kind

    def add(self, identifier: str, content: object) -> None:
        """Keep `content` (JSON) under its id, redacted, durably.

        Raises OSError; ValueError for an id that is not a file name.
        """
        if not _ID.fullmatch(identifier):
            raise ValueError(f"{identifier!r} cannot be the name of a file of the outbox")
        files.make_folder(self._folder)
        files.write_atomic(self._folder / f"{identifier}.json", json.dumps(redact_value(content)))

    def waiting(self) -> list[Path]:
        """Return the files that wait, oldest first; ids sort by time."""
        return sorted(self._folder.glob("[!.]*.json"))

    def contents(self) -> Iterator[tuple[Path, Any, int]]:
        """Yield each waiting file with its content and size, oldest first; one that is not JSON is set aside.

        What is about a project that has been excluded since stays where it is.
        """
        exclusions = Exclusions()
        for path in self.waiting():
            try:
                data = path.read_bytes()
                content = json.loads(data)
                if not (exclusions and any(map(exclusions.has_project, _projects_of(content)))):
                    yield path, content, len(data)
            except FileNotFoundError:
                continue  # another process has delivered it meanwhile
            except (ValueError, RecursionError) as error:
                self.set_file_aside(path, f"invalid JSON: {error}")

    def failed(self) -> list[Path]:
        """Return the files that were set aside, oldest first."""
        return sorted((self._folder / FAILED).glob("[!.]*.json"))

    def why_failed(self, identifier: str) -> str | None:
        """Return why the item of that id was set aside; None if it was not."""
        try:
            return (self._folder / FAILED / f"{identifier}.reason").read_text("utf-8").strip()
        except FileNotFoundError:
            return None

    def take_back(self, identifier: str) -> str | None:
        """Delete the item of that id if the server refused it, and return why; None if it did not.

        For an item whose author waits for the answer: they have its content and are told the reason.
        """
        reason = self.why_failed(identifier)
        if reason is not None:
            self._drop(self._folder / FAILED / f"{identifier}.json")
        return reason

    def drop_failed(self) -> list[tuple[str, str]]:
        """Delete what was set aside; return the id of each item and why it was set aside, oldest first."""
        dropped = [(path.stem, self.why_failed(path.stem) or "no reason recorded") for path in self.failed()]
        for identifier, _ in dropped:
            self._drop(self._folder / FAILED / f"{identifier}.json")
        return dropped

    def set_aside(self, identifier: str, content: object, reason: str) -> None:
        """Keep `content` in `failed/`, `reason` beside it, durably. Raises as `add` does."""
        self.add(identifier, content)
        self.set_file_aside(self._folder / f"{identifier}.json", reason)

    def set_file_aside(self, path: Path, reason: str) -> None:
        """Move a waiting file to `failed/`. Raises OSError.

        The reason is written first: a crash in between leaves the file waiting, and it is refused once more.
        """
        folder = files.make_folder(self._folder / FAILED)
        files.write_atomic(folder / f"{path.stem}.reason", reason + "\n")
        try:
            path.rename(folder / path.name)
        except FileNotFoundError:  # another process was quicker; where it had better luck nothing has failed
            if not (folder / path.name).exists():
                (folder / f"{path.stem}.reason").unlink(missing_ok=True)
        files.sync_folder(folder)
        files.sync_folder(self._folder)

    def put_back(self) -> None:
        """Let what was set aside wait again."""
        for path in self.failed():
            path.rename(self._folder / path.name)
            path.with_suffix(".reason").unlink(missing_ok=True)

    def _drop(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        path.with_suffix(".reason").unlink(missing_ok=True)

    def size(self) -> int:
        """Return the bytes that everything of this kind takes, what was set aside included."""
        return sum(_size(path) for path in (*self.waiting(), *self.failed()))

    def drop_oldest(self, excess: int) -> tuple[int, int]:
        """Delete at least `excess` bytes, first what was set aside, then the oldest; return the files and bytes."""
        number = freed = 0
        for path in (*self.failed(), *self.waiting()):
            if freed >= excess:
                break
            size = _size(path)
            with contextlib.suppress(FileNotFoundError):  # delivered meanwhile
                path.unlink()
                number, freed = number + 1, freed + size
            path.with_suffix(".reason").unlink(missing_ok=True)
        return number, freed


class OutboxChannel:
    """The delivery channel (delivery.Channel) of an outbox whose items are sent one by one to `path`.

    The answer to an accepted item is an object with its id. A kind that is sent in batches overrides the class
    attributes, `body` and `reasons`.
    """

    max_items = 1
    max_bytes = 4 * 1024 * 1024

    def __init__(self, outbox: Outbox, path: str) -> None:
        self.outbox = outbox
        self.path = path

    def waiting(self) -> Iterator[Item[Path]]:
        """Yield the items of the outbox, oldest first."""
        for path, content, size in self.outbox.contents():
            yield Item(path.stem, content, size, path)

    def body(self, items: Sequence[Item[Path]]) -> object:
        """Return the content of the one item."""
        return items[0].content

    def reasons(self, answer: Any, items: Sequence[Item[Path]]) -> list[str | None]:
        """Return that the one item was accepted. Raises UnexpectedAnswerError for an answer without an id."""
        if not isinstance(answer, dict) or "id" not in answer:
            raise UnexpectedAnswerError("the answer does not name what was stored; is it a memoryserver?")
        return [None]

    def settle(self, outcomes: Sequence[tuple[Item[Path], str | None]]) -> None:
        """Remove what was accepted and move the rest to `failed/`."""
        for item, reason in outcomes:
            if reason is None:
                item.origin.unlink(missing_ok=True)
            else:
                self.outbox.set_file_aside(item.origin, reason)


class BatchChannel(OutboxChannel):
    """The channel of an outbox of which many items are sent in a request, as the list `name`; each has a result."""

    def __init__(self, outbox: Outbox, path: str, name: str, max_items: int) -> None:
        super().__init__(outbox, path)
        self._name = name
        self.max_items = max_items

    def body(self, items: Sequence[Item[Path]]) -> object:
        """Return {NAME: [...]}."""
        return {self._name: [item.content for item in items]}

    def reasons(self, answer: Any, items: Sequence[Item[Path]]) -> list[str | None]:
        """Return why each was refused, or None. Raises UnexpectedAnswerError."""
        return results(answer, [_id_of(item.content) for item in items])


def _id_of(content: Any) -> str | None:
    return content.get("id") if isinstance(content, dict) else None


def _projects_of(content: Any) -> list[object]:
    """Return the keys of the projects that an item names; the scopes of an observation may be some."""
    if not isinstance(content, dict):
        return []
    scopes = content.get("scope_ids")
    return [content.get("project"), *(scopes if isinstance(scopes, list) else [])]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:  # delivered meanwhile
        return 0
