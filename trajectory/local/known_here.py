"""What this project's memory knows about a finding: the line of the local copy of its context that fits best.

The copy is what a session of the project begins with (`memoryserver.client.context_cache`): learnings, and entries
whose hypothesis turned out false, one on a line. Nothing here waits for a network.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from memoryserver.client import context_cache, places
from trajectory.local.calls import summary
from trajectory.local.engine.assessment import Assessment

LEAST_SHARED = 2  # words
_WORD = re.compile(r"[^\W\d_][\w-]{2,}[^\W_]")
_QUOTED = re.compile(r"`([^`]*)`")
_CALLED = re.compile(r"#\d+: (\w+)\(")
_MAX_READ = 4000
# Words of errors and of their quotation that say nothing about their subject.
_EVERYDAY = (
    "error errors failed failure exception exit code status line file files path command bash read edit write result"
    " call calls from with this that have when then were been will not does did cannot could should must return true"
    " false none null the and for use used using after before first same made found because which there here output"
)
_COMMON = frozenset(_EVERYDAY.split())


def about(finding: Assessment, project: Path) -> str:
    """Return the line that fits the finding, "" if none does, or there is no copy for the project at `project`."""
    try:
        cached = context_cache.load(places.project_key(project))
    except (OSError, ValueError):  # the folder is gone
        return ""
    return best_item(_items(cached.text), finding) if cached else ""


def best_item(items: Iterable[str], finding: Assessment) -> str:
    """Return the item of a project's memory that shares most words with the evidence of `finding`.

    "" where none shares two, one of them a word that is not an everyday one: with a dash, an underscore, a capital
    inside, or seven letters and more.
    """
    words = _words(_evidence(finding))
    best: tuple[int, str] = (0, "")
    for item in items:
        shared = words.keys() & _words(item).keys()
        if len(shared) >= LEAST_SHARED and any(_is_telling(words[word]) for word in shared):
            best = max(best, (len(shared), item), key=lambda pair: pair[0])
    return best[1]


def _items(context: str) -> list[str]:
    """Return the items of the lists in `context`, the Markdown of a context."""
    lines = (line.strip() for line in context.split("\n"))
    return [line[2:].strip() for line in lines if line.startswith(("- ", "* "))]


def _evidence(finding: Assessment) -> str:
    """Return what the finding quotes, without what was read or searched: that tells of the file, not of the trouble."""
    evidence = "\n".join(observation.evidence or "" for observation in finding.observations)
    lines = (line for line in evidence.split("\n") if not _looks(line))
    return "\n".join([*_QUOTED.findall(finding.summary), *lines])[:_MAX_READ]


def _looks(line: str) -> bool:
    called = _CALLED.match(line)
    return called is not None and summary.kind_of(called[1]) in (summary.READ, summary.SEARCH)


def _words(text: str) -> dict[str, str]:
    """Return the words of `text` that say something, as written, by their lower case."""
    return {word.lower(): word for word in _WORD.findall(text) if word.lower() not in _COMMON}


def _is_telling(word: str) -> bool:
    return len(word) >= 7 or any(mark in word for mark in "_-") or word[1:] != word[1:].lower()
