"""What waits to be sent: one file for each thing, made before the first try, gone after the server's word.

    $MEMORYSERVER_HOME/outbox/KIND/ID.json

The id is the thing's own, so that the server knows what it has when something is sent twice.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoryserver.client.http import RefusedError
from memoryserver.common import files

_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
REFUSED = "refused"
_Waiting = tuple[Path, Any]


@dataclass(frozen=True)
class Delivery:
    """What one pass over the outbox did."""

    sent: int = 0
    refused: int = 0


def kinds(home: Path) -> list[str]:
    """The kinds of things that wait below `home`, or were set aside, or once did."""
    return sorted(path.name for path in (home / "outbox").glob("[!.]*") if path.is_dir())


class Outbox:
    """The things of one `kind` (a word) that wait below `home`."""

    def __init__(self, home: Path, kind: str) -> None:
        self._folder = home / "outbox" / kind

    def put(self, identifier: str, content: object) -> None:
        """Keep `content` (JSON) under its id, durably. Raises OSError; ValueError for an id that is no file name."""
        if not _ID.fullmatch(identifier):
            raise ValueError(f"{identifier!r} cannot be the name of a file of the outbox")
        files.make_folder(self._folder)
        files.write_atomic(self._folder / f"{identifier}.json", json.dumps(content))

    def waiting(self) -> list[Path]:
        """The files that wait, oldest first; ids sort by time."""
        return sorted(self._folder.glob("[!.]*.json"))

    def deliver(self, post: Callable[[Any], object]) -> Delivery:
        """Hand each waiting content to `post`, and remove its file once that returned.

        What `post` refuses for good (RefusedError other than 401 and 403) goes to `refused/`, its reason
        beside it, and holds up no other. Any other error passes through: the rest waits for the next time.
        """

        def post_one(contents: Sequence[Any]) -> list[str | None]:
            post(contents[0])
            return [None]

        return self.deliver_batches(post_one, size=1)

    def deliver_batches(
        self, post: Callable[[Sequence[Any]], Sequence[str | None]], *, size: int, max_bytes: int = 4 * 1024 * 1024
    ) -> Delivery:
        """The same with up to `size` contents, of at most `max_bytes` together, at a time.

        `post` returns for each of them why it was refused for good, or None. Where it raises RefusedError for
        a whole batch, each half is tried by itself, down to the one whose fault it is.
        """
        sent = refused = 0
        for batch in self._batches(size, max_bytes):
            for path, reason in self._post(batch, post):
                if reason is None:
                    path.unlink(missing_ok=True)
                    sent += 1
                else:
                    self._set_aside(path, reason)
                    refused += 1
        return Delivery(sent, refused)

    def size(self) -> int:
        """The bytes that everything of this kind takes, what was set aside included."""
        return sum(_size(path) for path in (*self.waiting(), *self.refused()))

    def drop_oldest(self, excess: int) -> tuple[int, int]:
        """Give up at least `excess` bytes, what was set aside first, then the oldest; how many, and their bytes."""
        number = freed = 0
        for path in (*self.refused(), *self.waiting()):
            if freed >= excess:
                break
            size = _size(path)
            with contextlib.suppress(FileNotFoundError):  # delivered meanwhile
                path.unlink()
                number, freed = number + 1, freed + size
            path.with_suffix(".reason").unlink(missing_ok=True)
        return number, freed

    def refused(self) -> list[Path]:
        """The files that were set aside, oldest first."""
        return sorted((self._folder / REFUSED).glob("[!.]*.json"))

    def set_aside(self, identifier: str, content: object, reason: str) -> None:
        """Keep `content` among what was refused, `reason` beside it, durably. Raises as `put` does."""
        self.put(identifier, content)
        self._set_aside(self._folder / f"{identifier}.json", reason)

    def put_back(self) -> None:
        """Let what was set aside wait again, to be tried once more."""
        for path in self.refused():
            path.rename(self._folder / path.name)
            path.with_suffix(".reason").unlink(missing_ok=True)

    def why_refused(self, identifier: str) -> str | None:
        """The reason for which the thing of that id was set aside; None if it was not."""
        try:
            return (self._folder / REFUSED / f"{identifier}.reason").read_text("utf-8").strip()
        except FileNotFoundError:
            return None

    def _post(
        self, batch: list[_Waiting], post: Callable[[Sequence[Any]], Sequence[str | None]]
    ) -> Iterator[tuple[Path, str | None]]:
        try:
            reasons = post([content for _, content in batch])
        except RefusedError as error:
            if error.status in (401, 403):
                raise
            if len(batch) == 1:
                yield batch[0][0], str(error)
                return
            half = len(batch) // 2
            yield from self._post(batch[:half], post)
            yield from self._post(batch[half:], post)
            return
        yield from zip((path for path, _ in batch), reasons, strict=True)

    def _batches(self, size: int, max_bytes: int) -> Iterator[list[_Waiting]]:
        batch: list[_Waiting] = []
        total = 0
        for path, content, length in self._contents():
            if batch and (len(batch) == size or total + length > max_bytes):
                yield batch
                batch, total = [], 0
            batch.append((path, content))
            total += length
        if batch:
            yield batch

    def _contents(self) -> Iterator[tuple[Path, Any, int]]:
        for path in self.waiting():
            try:
                data = path.read_bytes()
                yield path, json.loads(data), len(data)
            except FileNotFoundError:
                continue  # another process has delivered it meanwhile
            except ValueError as error:
                self._set_aside(path, f"not JSON: {error}")

    def _set_aside(self, path: Path, reason: str) -> None:
        folder = files.make_folder(self._folder / REFUSED)
        files.write_atomic(folder / f"{path.stem}.reason", reason + "\n")
        with contextlib.suppress(FileNotFoundError):  # another process was told the same and was quicker
            path.rename(folder / path.name)
        files.sync_folder(folder)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:  # delivered meanwhile
        return 0
