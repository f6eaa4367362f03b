"""Composition of a project's context from the apps' sections, within a limit of characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.common.hook_answer import CONTEXT_QUOTED
from memoryserver.common.text import one_line, printable, shorten
from memoryserver.context.sections import Line, Offer, Section, all_sections
from memoryserver.errors import InvalidInputError

CHARS = 2_000
MIN_CHARS = 200
MAX_CHARS = 8_000
MAX_LINE = 240

_DECAY = 0.9
"""Line n of a section (from 0) is ranked by weight * 0.9 ** n, so that one section does not fill the context."""

_TAG = re.compile(r"<(?=[/!?a-zA-Z])")
_FENCE = re.compile(r"(`|~)\1{2,}")


@dataclass(frozen=True)
class QuotedSection:
    """A section of a context: its lines, by descending weight, safe to quote."""

    name: str
    title: str
    lines: Sequence[str]


@dataclass(frozen=True)
class Context:
    """The context of a project; `text` is the sections as Markdown, "" if there are none.

    `documents` are the ids of those lines that can be read in full.
    """

    project: str
    generated_at: datetime
    sections: Sequence[QuotedSection]
    text: str
    documents: Sequence[str] = ()


@dataclass(frozen=True)
class Candidate:
    """A line that may be selected: `text` is safe to quote, and `rank` sorts the best first.

    `section` counts the sections from 0. `repeats` says that a better line of its section has the same text.
    """

    section: int
    rank: tuple[float, int, int]
    text: str
    line: Line
    repeats: bool = False


@dataclass(frozen=True)
class Composition:
    """How a context comes about: what each section offers, the candidates, the best first, and the selected ones."""

    project: str
    head: str
    sections: Sequence[Section]
    offers: Sequence[Offer]
    candidates: Sequence[Candidate]
    selected: Sequence[Candidate]


def build_context(user: User, project: str, chars: int = CHARS) -> Context:
    """Return the most useful lines that `user` may see in `project` (a project's key), in at most `chars` characters.

    That it reached a session is for the caller to record (`inquiries.records`).

    An unknown project has an empty context, since every project is unknown in its first session. Raises
    InvalidInputError unless `chars` is from MIN_CHARS to MAX_CHARS and the key is not blank.
    """
    composition = compose(user, project, chars)
    quoted, text = [], ""
    for number, section in enumerate(composition.sections):
        candidates = [candidate for candidate in composition.selected if candidate.section == number]
        if candidates:
            quoted.append(QuotedSection(section.name, section.title, [candidate.text for candidate in candidates]))
            text += _heading(candidates[0], section) + "".join(map(_line, candidates))
    text = composition.head + text if text else ""
    documents = [candidate.line.document for candidate in composition.selected if candidate.line.document]
    return Context(composition.project, timezone.now(), quoted, text, documents)


def compose(user: User, project: str, chars: int) -> Composition:
    """Return the candidates and the selected lines of a context. Raises InvalidInputError as `build_context` does."""
    key = one_line(project)
    if not key:
        raise InvalidInputError("project is empty; give its key, such as a repository's address")
    if not MIN_CHARS <= chars <= MAX_CHARS:
        raise InvalidInputError(f"chars must be from {MIN_CHARS} to {MAX_CHARS}")
    sections = all_sections()
    head = f"## Memory of {quotable(key, 100)}\n{CONTEXT_QUOTED}\n"
    offers = [section.offer(user, key) for section in sections]
    ranked = sorted(_candidates(offers), key=lambda candidate: candidate.rank)
    return Composition(key, head, sections, offers, ranked, _select(sections, ranked, chars - len(head)))


def quotable(text: str, limit: int = MAX_LINE) -> str:
    """Return `text` as one line of at most `limit` characters without fences and tags, safe in any prompt."""
    line = shorten(one_line(printable(text)), limit)
    return _TAG.sub("‹", _FENCE.sub(r"\1\1", line))


def _candidates(offers: Sequence[Offer]) -> Iterator[Candidate]:
    for number, offer in enumerate(offers):
        ordered = sorted(offer.lines, key=lambda line: -line.weight)
        texts: set[str] = set()
        for line in ordered:
            text = quotable(line.text)
            if not text:
                continue
            rank = (-line.weight * _DECAY ** len(texts), number, len(texts))
            yield Candidate(number, rank, text, line, repeats=text.lower() in texts)
            texts.add(text.lower())


def _select(sections: Sequence[Section], candidates: Sequence[Candidate], room: int) -> list[Candidate]:
    """Return the best candidates that fit into `room` characters; shorter lines may follow one that does not fit."""
    selected: list[Candidate] = []
    started: set[int] = set()
    for candidate in candidates:
        if candidate.repeats:
            continue
        heading = "" if candidate.section in started else _heading(candidate, sections[candidate.section])
        cost = len(heading) + len(_line(candidate))
        if cost <= room:
            room -= cost
            started.add(candidate.section)
            selected.append(candidate)
    return selected


def _heading(first: Candidate, section: Section) -> str:
    """Return the heading of a section whose `first` line has a number only if all of them have."""
    return f"\n### {section.title}{' [id]' if first.line.number else ''}\n"


def _line(candidate: Candidate) -> str:
    number = candidate.line.number
    return f"- {candidate.text} [{number}]\n" if number else f"- {candidate.text}\n"
