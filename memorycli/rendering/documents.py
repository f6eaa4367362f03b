"""Renders what `memory show` has read: an entry, a learning, an observation or a session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ghap.local import GHAPEntry, GHAPError
from ghap.local.rendering import render as render_entry
from memorycli.reading.lookup import Match
from memorycli.rendering import terminal
from memorycli.rendering.table import table
from memorycli.rendering.terminal import paint
from memoryserver.common.columns import fitting, wrapped
from memoryserver.common.text import one_line, printable

_MAX_FINDINGS = 20
_SEVERITIES = {"warning": "red", "caution": "yellow"}


def render(match: Match, document: Mapping[str, Any]) -> str:
    """Return the document in lines that fit the terminal, its address last."""
    lines = _entry(document) if match.kind == "entry" else None
    if lines is None:
        lines = [_head(match), "", *_PARTS.get(match.kind, _text)(document)]
    if match.url:
        lines += ["", paint(match.url, "blue")]  # never cut, so that it can be followed
    return "\n".join(lines)


def render_matches(matches: Sequence[Match]) -> str:
    """Return a line for each match: its id, kind and title."""
    rows = [(match.id, match.kind, match.created_at[:10], match.title) for match in matches]
    return "\n".join(table(rows, keeps=[0]))


def _head(match: Match) -> str:
    about = (match.kind, match.project, match.user, match.created_at[:10])
    line = f"{match.id}  {', '.join(part for part in about if part)}"
    return paint(fitting(line, terminal.width()), "bold")


def _entry(document: Mapping[str, Any]) -> list[str] | None:
    """Return the entry as the journal shows it; None if this client does not understand its form."""
    try:
        entry = GHAPEntry.from_dict(document["details"]["entry"])
    except (GHAPError, KeyError, TypeError, ValueError, AttributeError):
        return None
    by = [str(document.get(name)) for name in ("user", "project") if document.get(name)]
    return [*render_entry(entry, width=terminal.text_width()).splitlines(), "", *_fact("by", ", ".join(by))]


def _text(document: Mapping[str, Any]) -> Iterator[str]:
    yield from wrapped(str(document.get("text") or ""), terminal.text_width())


def _learning(document: Mapping[str, Any]) -> Iterator[str]:
    yield from _text(document)
    details = document.get("details") or {}
    times = "once, on" if str(details.get("seen")) == "1" else f"{details.get('seen')} times, the last"
    seen = f"{times} {str(details.get('last_seen'))[:10]}"
    facts = {
        "type": details.get("type"),
        "source": details.get("source"),
        "seen": seen if details.get("seen") else "",
        "hidden": f"memory forget --undo {document.get('key')} shows it again" if details.get("hidden") else "",
        "files": ", ".join(map(str, details.get("files") or ())),
    }
    yield ""
    for name, value in facts.items():
        yield from _fact(name, value)


def _observation(document: Mapping[str, Any]) -> Iterator[str]:
    yield from _text(document)
    details = document.get("details") or {}
    data = details.get("data")
    facts = {
        "type": details.get("type"),
        "source": details.get("source"),
        "about": ", ".join(map(str, details.get("scope_ids") or ())),
        "data": "" if data is None else json.dumps(data, ensure_ascii=False),
    }
    yield ""
    for name, value in facts.items():
        yield from _fact(name, value)


def _session(document: Mapping[str, Any]) -> Iterator[str]:
    ended = document.get("ended_at")
    yield from _fact("title", document.get("title"))
    yield from _fact("branch", document.get("branch"))
    yield from _fact("calls", document.get("calls"))
    yield from _fact("last", str(document.get("last_call_at") or "")[:19].replace("T", " "))
    yield from _fact("state", f"ended {str(ended)[:19].replace('T', ' ')}" if ended else "running")
    findings = document.get("findings") or []
    yield ""
    yield "No findings." if not findings else "Findings, the newest first:"
    for finding in findings[:_MAX_FINDINGS]:
        severity = one_line(str(finding.get("severity")))
        head = f"  {severity:<8}  "
        for number, line in enumerate(wrapped(str(finding.get("summary")), terminal.text_width() - len(head))):
            yield (paint(head, _SEVERITIES.get(severity, "dim")) if number == 0 else " " * len(head)) + line


def _fact(name: str, value: object) -> Iterator[str]:
    label = f"{name:<8}"
    shown = one_line(printable(str("" if value is None else value)))
    for number, line in enumerate(wrapped(shown, terminal.text_width() - len(label)) if shown else ()):
        yield (paint(label, "dim") if number == 0 else " " * len(label)) + line


_PARTS = {"learning": _learning, "observation": _observation, "session": _session}
