"""Renders the hits of a search for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memorycli.reading import hit_times
from memorycli.rendering import terminal
from memorycli.rendering.terminal import paint
from memoryserver.common.columns import fitting, wrapped
from memoryserver.common.text import one_line, printable, shorten

_INDENT = "   "
_MAX_TEXT = 240  # characters of a hit's text
_MAX_LINES = 5  # of it
_MAX_TITLE = 140
_MAX_WORDS = 6
_MAX_SAME = 3


def render(answer: Mapping[str, Any], server: str) -> str:
    """Return the hits of the API's `answer`, numbered in the ranking, and what is left; `server` is its address."""
    before = answer.get("before", 0)  # an older server pages in another way
    width = terminal.text_width()
    lines = [*wrapped(answer["note"], width), ""] if answer["note"] else []
    times = hit_times.of(answer["hits"])
    for number, (hit, time) in enumerate(zip(answer["hits"], times, strict=True), before + 1):
        lines += [*_hit(number, hit, time, server.rstrip("/"), width), ""]
    if not answer["hits"]:
        lines.append("No more hits." if before else "Nothing found; try other words, or fewer filters.")
    elif answer.get("next_cursor") is not None:
        lines.append(f"{_count(answer)}; for the next: --cursor {answer['next_cursor']}")
    elif answer.get("found"):
        lines.append(f"{_count(answer)}.")
    return "\n".join(lines).rstrip()


def _count(answer: Mapping[str, Any]) -> str:
    folded = answer.get("folded")
    return f"{answer['found']} found" + (f" ({folded} near-equal to one of them not shown)" if folded else "")


def _hit(number: int, hit: Mapping[str, Any], time: str, server: str, width: int) -> Iterator[str]:
    """Yield the title, or the text of a hit without one, then where, when, what, why and the URL."""
    head = f"{number}. "
    title, text = _plain(hit["title"], _MAX_TITLE), _excerpt(hit["text"])
    for line in _block(head, title or _plain(hit["text"], _MAX_TEXT), width):
        yield paint(line, "bold") if title else line
    state = hit.get("origin", {}).get("state", "")
    about = (hit["kind"], state, hit["project"], hit["user"], time)
    yield paint(fitting(_INDENT + ", ".join(_plain(part) for part in about if part), width), "cyan")
    if title and text:
        yield from _block(_INDENT, text, width)
    yield paint(fitting(_INDENT + _reason(hit), width), "dim")
    if hit.get("same"):
        yield paint(fitting(f"{_INDENT}the same: {_listed(hit['same'], _MAX_SAME)}", width), "dim")
    if hit.get("page"):  # never cut, so that it can be followed
        yield f"{_INDENT}{paint(server + _plain(hit['page']), 'blue')}"


def _block(head: str, value: str, width: int) -> Iterator[str]:
    for number, line in enumerate(wrapped(value, width - max(len(head), len(_INDENT)))):
        yield f"{head if number == 0 else _INDENT:{len(_INDENT)}}{line}"


def _excerpt(text: object) -> str:
    """Return the beginning of `text` with its line breaks: the lesson, the cause and the like each have their line."""
    lines = [line for line in map(one_line, printable(str(text)).split("\n")) if line]
    shown = "\n".join(lines[:_MAX_LINES])
    return shorten(shown if len(lines) <= _MAX_LINES else f"{shown} …", _MAX_TEXT)


def _reason(hit: Mapping[str, Any]) -> str:
    """Return why it was found, such as: by meaning (1st) and by words (3rd): export, hanging."""
    ways = []
    if hit["semantic_rank"]:
        ways.append(f"by meaning ({_ordinal(hit['semantic_rank'])})")
    if hit["lexical_rank"]:
        ways.append(f"by words ({_ordinal(hit['lexical_rank'])})")
    words = hit.get("words")
    return "found " + " and ".join(ways) + (f": {_listed(words, _MAX_WORDS)}" if words else "")


def _listed(values: Sequence[str], limit: int) -> str:
    rest = len(values) - limit
    return ", ".join(_plain(value, 60) for value in values[:limit]) + (f" and {rest} more" if rest > 0 else "")


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _plain(value: object, limit: int = 200) -> str:
    return shorten(one_line(printable(str(value))), limit)
