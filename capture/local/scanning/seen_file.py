"""The file beside a state to which the digests of the messages that were read are appended.

Within the state they were 160 KB that each new line of a long session wrote anew, a quarter of the line's time. The
state names the file and how much of it counts. What a crash between the two leaves behind that is overwritten: a
message must not count as read while the mark of its transcript is before it.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from capture.local.scanning.seen import Seen
from memoryserver.common import files

_NAMES = ("seen", "seen2")  # by turns: where old digests are dropped, the state's file is kept until it names the other


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

    def begin_anew(self) -> None:
        """Have the next `save` write all digests, to another file: some of this one's no longer count."""
        self._former, self.length = self.name, 0
        self.name = _NAMES[self.name == _NAMES[0]]

    def delete_former(self, base: str) -> None:
        """Delete the file before the last `begin_anew`, once the state that names the new one is saved."""
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
