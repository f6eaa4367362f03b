"""Reads and writes the journal's files, in an order in which a crash at any point loses and doubles nothing.

Methods that change something expect the caller to hold the journal's lock; those that only read need none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ghap.local import layout, session_file
from ghap.local.entry import GHAPEntry
from ghap.local.errors import InvalidEntryError
from ghap.local.ids import is_session_id
from ghap.local.lines import Line, last_id, latest, read_lines
from memoryserver.common import files


@dataclass(frozen=True)
class State:
    """The active entry and the open session's id; None where there is none."""

    entry: GHAPEntry | None
    session_id: str | None

    @property
    def orphan(self) -> GHAPEntry | None:
        """Return the active entry if it is of another session than the open one."""
        return self.entry if self.entry is not None and self.entry.session_id != self.session_id else None


class Store:
    """The files of the journal in `folder`; with the key of its `project`, what is filed is copied (`copies`)."""

    def __init__(self, folder: Path, project: str | None = None) -> None:
        self.folder = folder
        self._project = project
        self.archive = folder / layout.ARCHIVE
        self._current = folder / layout.CURRENT
        self._session_entries = folder / layout.SESSION_ENTRIES

    # What is active and which session is open

    def peek(self) -> State | None:
        """Return the journal's state, or None where a file must be repaired first, which `load` does."""
        try:
            state = State(self._read_current(), session_file.read(self.folder))
        except layout.DamagedError:
            return None
        return None if state.entry is not None and self._is_filed(state.entry) else state

    def load(self) -> State:
        """Return the journal's state. Damaged files are set aside; an entry that is already filed is cleared."""
        return State(self.load_current(), session_file.load(self.folder))

    def save_current(self, entry: GHAPEntry) -> None:
        """Make `entry` the active one."""
        files.write_atomic(self._current, _checked_json(entry, indent=2) + "\n")

    def load_current(self) -> GHAPEntry | None:
        """Return the active entry. A damaged file is set aside; an entry that is already filed is cleared."""
        try:
            entry = self._read_current()
        except layout.DamagedError as damage:
            layout.set_aside(self._current, str(damage))
            return None
        if entry is not None and self._is_filed(entry):
            layout.remove(self._current)
            return None
        return entry

    def _read_current(self) -> GHAPEntry | None:
        content = layout.read(self._current)
        if content is None:
            return None
        try:
            return GHAPEntry.from_json(content)
        except InvalidEntryError as error:
            raise layout.DamagedError(str(error)) from error

    def _is_filed(self, entry: GHAPEntry) -> bool:
        """Return whether a crash came between filing `entry` and clearing it: it is then the last one filed."""
        places = (self._session_entries, self.archive / archive_name(entry.session_id, entry.created_at))
        return any(last_id(path) == entry.id for path in places)

    # Resolved entries

    def file_in_session(self, entry: GHAPEntry) -> None:
        """Append the active entry, now resolved, to this session's, and only then clear it."""
        line = _checked_json(entry).encode("utf-8")
        self._copy(entry)
        _append(self._session_entries, [line])
        layout.remove(self._current)

    def file_in_archive(self, entry: GHAPEntry) -> None:
        """Append the active entry, now resolved, to the archive of its own session, and only then clear it."""
        line = Line(_checked_json(entry).encode("utf-8"), entry)
        self._copy(entry)
        self._archive(archive_name(entry.session_id, entry.created_at), [line])
        layout.remove(self._current)

    def session_lines(self) -> list[Line]:
        """Return the lines of this session's entries, unreadable ones too."""
        return read_lines(self._session_entries)

    def archive_session(self, session_id: str | None) -> list[GHAPEntry]:
        """Move this session's entries to the archive and return them.

        Without a session id (its file was damaged) each goes to the archive of the session it names. An entry that an
        archive has with the same content is not added again; lines that hold no entry are kept in a backup of their
        own.
        """
        lines = self.session_lines()
        entries = {line.entry.id: line for line in lines if line.entry}
        self._back_up([line.raw for line in lines if not line.entry])
        by_archive: dict[str, list[Line]] = {}
        for line in entries.values():
            assert line.entry
            name = archive_name(session_id or line.entry.session_id, line.entry.created_at)
            by_archive.setdefault(name, []).append(line)
        for name, group in by_archive.items():
            self._archive(name, group)
        layout.remove(self._session_entries)
        return [line.entry for line in entries.values() if line.entry]

    def _back_up(self, bad: list[bytes]) -> None:
        if bad:
            backup = layout.unused_backup(self._session_entries)
            files.write_atomic(backup, b"".join(raw + b"\n" for raw in bad))
            layout.log_damage(f"unreadable lines of {layout.SESSION_ENTRIES} are kept as {backup.name}: {len(bad)}")

    def _archive(self, name: str, lines: list[Line]) -> None:
        if not self.archive.is_dir() and os.path.lexists(self.archive):
            layout.set_aside(self.archive, "a file in place of the folder")
        files.make_folder(self.archive)
        path = self.archive / name
        # By content: after a crash the archive may have an entry whose line here was amended since.
        archived = {line.entry.id: line.entry for line in read_lines(path) if line.entry}
        _append(path, [line.raw for line in lines if line.entry and archived.get(line.entry.id) != line.entry])

    def archives(self) -> list[Path]:
        """Return the archive files, oldest session first."""
        return sorted(path for path in self.archive.glob("*.jsonl") if path.is_file())

    def filed_entries(self) -> Iterator[GHAPEntry]:
        """Yield every resolved entry once, oldest session first; the present session's come last."""
        # Read first: an entry that is archived meanwhile is then read twice, never missed. The session's line counts
        # where a crash left an archive's beside it, since amendments go to the session's file while it has the entry.
        present = [line.entry for line in latest(self.session_lines()) if line.entry]
        seen = {entry.id for entry in present}
        for path in self.archives():
            for line in latest(read_lines(path)):
                if line.entry and line.entry.id not in seen:
                    seen.add(line.entry.id)
                    yield line.entry
        yield from present

    def find_filed(self, entry_id: str | None) -> tuple[Path, GHAPEntry] | None:
        """Return the resolved entry of that id, or the one resolved last, with its file; None where there is none."""
        for path in (self._session_entries, *reversed(self.archives())):
            entries = [line.entry for line in latest(read_lines(path)) if line.entry]
            matches = [entry for entry in entries if entry_id in (None, entry.id)]
            if matches:
                return path, matches[-1]
        return None

    def file_again(self, path: Path, entry: GHAPEntry) -> None:
        """Append a filed entry that was amended to its file: of several lines with one id the last one counts."""
        line = _checked_json(entry).encode("utf-8")
        self._copy(entry)
        _append(path, [line])

    def _copy(self, entry: GHAPEntry) -> None:
        if self._project is not None:
            from ghap.local import copies

            copies.save(entry, self.folder, self._project)


def archive_name(session_id: str, fallback: datetime) -> str:
    """Return the name of a session's archive file, `{its own date}_{its id}.jsonl`.

    An invalid id (a file from elsewhere) never gets into a file name: `{fallback}_session_unknown.jsonl`.
    """
    if is_session_id(session_id):
        return f"{session_id[8:16]}_{session_id}.jsonl"
    return f"{fallback:%Y%m%d}_session_unknown.jsonl"


def _checked_json(entry: GHAPEntry, indent: int | None = None) -> str:
    """Return the JSON of `entry`, which can be read back; else InvalidEntryError, before any file is touched."""
    try:
        content = entry.to_json(indent=indent)
        GHAPEntry.from_json(content)
    except InvalidEntryError as error:
        raise InvalidEntryError(f"the entry could not be read back: {error}") from error
    except (TypeError, AttributeError, ValueError, RecursionError) as error:
        raise InvalidEntryError(f"the entry cannot be written as JSON: {error}") from error
    return content


def _append(path: Path, lines: list[bytes]) -> None:
    """Append `lines` durably; without lines, what an earlier process appended before it died is made durable."""
    layout.clear_folder(path)
    files.append_lines(path, lines)
