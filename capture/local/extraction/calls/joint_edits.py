"""Notes which files were edited together: each commit of a session that changed one of them changed all.

What is edited between two commits is one piece of work. Files of one piece of work have often nothing to do with each
other, so only files count that came together in every one of at least MIN_COMMITS commits, in a session that also has a
commit without them; a module with its tests or a lock file goes without saying.

It says little of later commits. In the history of this project, 464 commits in rows of 5 to 40, files that two commits
of a row changed together came together in 34 of the 593 later ones that changed any of them. So the confidence is too
low for a context, however often the same is seen.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from capture.local.extraction.calls.edits import EDITS
from capture.local.extraction.learning import Learning
from capture.local.transcripts.messages import Message, Outcome, ToolResult

MIN_COMMITS = 3
_MOST_FILES = 4  # in a learning: more is a whole folder that was worked on
_MAX_FILES = 200  # that are remembered, those first edited the longest ago are forgotten first
_CONFIDENCE = 0.3
_BESIDE = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__)/|(?:^|[/_.-])(?:test|spec)s?[_.-]|(?:\.|-)lock(?:\.\w+)?$|(?:^|/)go\.sum$"
)
"""Tests and lock files, which change with what they belong to."""
_COMMIT = re.compile(r"(?:^|[;&|(\n])\s*git(?: -\S+(?: \S+)?)? commit\b(?!.*--dry-run)")


class JointEdits:
    """The files that were edited for each commit of one transcript; `memory` is that of the previous reading."""

    def __init__(self, memory: dict[str, Any]) -> None:
        self._commits: int = memory.get("commits", 0)
        self._edited: dict[str, None] = dict.fromkeys(memory.get("edited", []))  # in order, since the last commit
        self._commits_of: dict[str, list[int]] = {name: list(of) for name, of in memory.get("commits_of", {}).items()}
        self._learned: list[list[str]] = [list(names) for names in memory.get("learned", [])]

    def memory(self) -> dict[str, Any]:
        """Return the memory for the next reading, as a JSON object."""
        return {
            "commits": self._commits,
            "edited": list(self._edited),
            "commits_of": self._commits_of,
            "learned": self._learned,
        }

    def record_result(self, message: Message, result: ToolResult, clean: Callable[[str], str]) -> list[Learning]:
        """Record the result of a call; return what a commit shows to belong together, each group of files once.

        `clean` redacts the secrets in a text.
        """
        use = result.use
        if use is None or result.outcome != Outcome.OK:
            return []
        if use.name in EDITS:
            self._record_edit([_relative(name, message.cwd) for name in use.files], clean)
        elif "commit" in use.raw_command and _COMMIT.search(use.raw_command) and self._edited:
            return self._record_commit(message, use.name)
        return []

    def _record_edit(self, names: list[str], clean: Callable[[str], str]) -> None:
        for name in filter(None, names):
            if name in self._edited:  # without secrets then; searching each edit's name for some was 3 % of a scan
                continue
            self._edited.setdefault(clean(name))
        while len(self._edited) > _MAX_FILES:
            del self._edited[next(iter(self._edited))]

    def _record_commit(self, message: Message, tool: str) -> list[Learning]:
        edited, self._edited = list(self._edited), {}
        self._commits += 1
        for name in edited:
            self._commits_of.setdefault(name, []).append(self._commits)
        while len(self._commits_of) > _MAX_FILES:
            del self._commits_of[next(iter(self._commits_of))]
        groups: dict[tuple[int, ...], list[str]] = {}
        for name in edited:
            groups.setdefault(tuple(self._commits_of[name]), []).append(name)
        learnings = []
        for commits, names in groups.items():
            is_sure = MIN_COMMITS <= len(commits) < self._commits and 2 <= len(names) <= _MOST_FILES
            tells = sum(_BESIDE.search(name) is None for name in names) > 1
            if is_sure and tells and sorted(names) not in self._learned:
                self._learned.append(sorted(names))
                learnings.append(_learning(message, tool, sorted(names), len(commits)))
        return learnings


@lru_cache(maxsize=512)  # the same files are edited again and again
def _relative(path: str, folder: str) -> str:
    """Return `path` relative to `folder`; "" if it lies outside of it, or `folder` is not known."""
    if not folder:
        return ""
    root = posixpath.normpath(folder).rstrip("/") + "/"
    absolute = posixpath.normpath(posixpath.join(root, path))
    return absolute.removeprefix(root) if absolute.startswith(root) else ""


def _learning(message: Message, tool: str, names: list[str], commits: int) -> Learning:
    quoted = [f"`{name}`" for name in names]
    listed = f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    return Learning(
        "learning",
        f"{listed} were edited together: each of the {commits} commits of a session that changed one of them changed "
        f"{'both' if len(names) == 2 else 'all of them'}.",
        _CONFIDENCE,
        message.index,
        message.uuid,
        reasons=("files that every commit changed together", "seen in the edits between commits"),
        files=tuple(names),
        tools=(tool,),
        time=message.time,
        source="observed",
    )
