"""The file beside a state to which the digests of the messages that were read are appended.

When they were part of the state, each new line of a long session rewrote 160 KB, a quarter of the line's time. The
state names the file and how many of its bytes count. Bytes after those, which a crash between the two writes leaves,
are overwritten: a message must not count as read before the state says that its transcript was read so far.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from capture.local.scanning.seen import Seen
from memoryserver.common import files

_NAMES = ("seen", "seen2")  # when old digests are dropped, the others go to the file that the state does not name


@dataclass(slots=True)
class SeenFile:
    """`BASE.NAME`, of which the first `length` bytes count; BASE is the path of the state without its ending."""

    name: str = _NAMES[0]
    length: int = 0
    _former: str = ""

    def load(self, base: str) -> Seen:
        """Return the digests. Raises ValueError if the file does not have as much as counts, and OSError."""
        if not self.length:
            return Seen()
        with contextlib.suppress(FileNotFoundError), open(f"{base}.{self.name}", "rb") as file:
            content = file.read(self.length)
            if len(content) == self.length:
                return Seen(content.decode("ascii"))
        raise ValueError(f"{os.path.basename(base)}.{self.name} is missing or too short")

    def save(self, base: str, seen: Seen, *, durable: bool) -> None:
        """Append the digests that were added since the last call; save the state after it. Raises OSError."""
        path, new = Path(f"{base}.{self.name}"), seen.text_after(self.length)
        if self.length and (new or durable):
            try:
                files.write_at(path, self.length, new, durable=durable)
            except FileNotFoundError:  # somebody deleted it
                self.length, new = 0, seen.text_after(0)
        if not self.length and new:
            files.write_atomic(path, new, durable=durable)
        self.length += len(new)

    def start_over(self) -> None:
        """Have the next `save` write all digests to the other file, since some in this one no longer count."""
        if not self._former:  # else no state names the file of the last call yet
            self._former, self.name = self.name, _NAMES[self.name == _NAMES[0]]
        self.length = 0

    def delete_former(self, base: str) -> None:
        """Delete the file before the last `start_over`, once the state that names the new one is saved."""
        if self._former:
            Path(f"{base}.{self._former}").unlink(missing_ok=True)
            self._former = ""

    def to_dict(self) -> dict[str, object]:
        """Return what the state says of it."""
        return {"file": self.name, "length": self.length}


def from_dict(value: object) -> SeenFile:
    """Return the file that a state names. Raises ValueError."""
    if isinstance(value, dict):
        name, length = value.get("file"), value.get("length")
        if name in _NAMES and type(length) is int and length >= 0:
            return SeenFile(name, length)
    raise ValueError("`seen` does not name a file and its length")


def delete(base: str) -> None:
    """Delete whatever there is of a state that is deleted. Raises OSError."""
    for name in _NAMES:
        Path(f"{base}.{name}").unlink(missing_ok=True)
